import MQTT
import Signals

/// The worker's side of one run: a connection with the run's last will, and the order in which things go out.
///
/// Everything is published under the lock, so that progress never comes after the end; the connection only queues.
final class JobWorker: BusMember, ConnectionDelegate {
  private struct State {
    var throttle = ProgressThrottle()
    var message: StateMessage
    var sequence = 0
    var isConnected = false
    var hasConnected = false
    var timers: [any Disposable] = []
    var wasAcknowledged = false
    /// Why there is no connection.
    var fault: ConnectionError?
  }

  let run: String
  /// The promised heartbeat.
  static var every: Duration { .seconds(10) }

  private let topic: JobTopic
  private let core: BusCore
  private let connection: Connection
  private let state: Lock<State>
  /// The values that wait for the broker's answer.
  private let backlog = Lock(Backlog())

  init(_ topic: JobTopic, title: String?, run: String, _ core: BusCore) throws {
    self.topic = topic
    self.run = run
    self.core = core
    var options = core.options
    // The bus has its own: two clients with one id push each other out.
    options.clientID = ConnectionOptions(endpoint: options.endpoint).clientID
    options.cleanStart = true
    options.sessionExpiry = .zero
    // However many values wait, there is room for the end.
    options.outboxLimits.count = max(options.outboxLimits.count, options.outboxLimits.count &+ 16)
    options.outboxLimits.bytes = max(options.outboxLimits.bytes, options.outboxLimits.bytes &+ (1 << 20))
    options.will = Will(
      topic.state, try StateMessage(.lost, run: run).payload(), retain: true,
      properties: Self.properties("state", run, isEnd: true))
    connection = try Connection(options)
    var message = StateMessage(.running, run: run)
    message.title = title
    message.host = RunFacts.host
    message.started = RunFacts.time
    message.every = Self.every.inSeconds
    state = Lock(State(message: message))
    guard core.add(self) else { throw BusError.closed }
    connection.states.subscribe { [weak self] in self?.note($0) }
    connection.connect(delegate: self)
    state.withLock { publishState(&$0) }
    scheduleHeartbeat()
  }

  var hasEnded: Bool { state.withLock { $0.message.state.isEnd } }

  private func note(_ connection: ConnectionState) {
    let fault: ConnectionError?? =
      switch connection {
      case .connected: .some(nil)
      case .waiting(_, let cause): cause
      case .closed(let cause?): cause
      case .idle, .connecting, .closed(nil): nil
      }
    if let fault { state.withLock { $0.fault = fault } }
  }

  // MARK: Reporting

  func report(_ update: ProgressUpdate) {
    let scheduler = core.scheduler
    let delay = state.withLock { state -> Duration? in
      guard !state.message.state.isEnd else { return nil }
      return apply(state.throttle.report(update) { scheduler.now }, &state)
    }
    if let delay { arm(delay) }
  }

  func send(_ payload: [UInt8]) throws {
    let limits = core.options.outboxLimits
    try state.withLock { state in
      guard !state.message.state.isEnd else { throw BusError.jobEnded(topic.values) }
      guard backlog.withLock({ $0.add(payload.count, limits) }) else {
        throw ConnectionError.outboxFull(topic.values)
      }
      state.message.values = (state.message.values ?? 0) + 1
      let message = Publish(topic.values, payload)
      connection.publish(message) { [self] result in
        backlog.withLock { $0.remove(payload.count) }
        report(message, result)
      }
    }
  }

  func end(_ outcome: JobOutcome) {
    let timers = state.withLock { state -> [any Disposable]? in
      guard !state.message.state.isEnd else { return nil }
      state.message.state = outcome.state
      state.message.exit = outcome.exit
      state.message.error = outcome.error
      state.message.ended = RunFacts.time
      state.message.values = state.message.values ?? 0
      if var last = state.throttle.latest {
        if outcome.state == .done { last.fraction = 1 }
        publishProgress(last, &state, outcome: outcome.state)
      }
      publishState(&state)
      defer { state.timers = [] }
      return state.timers
    }
    guard let timers else { return }
    for timer in timers { timer.dispose() }
    connection.close(deadline: .seconds(60)) { [self] in
      core.remove(self)
    }
  }

  func flush(deadline: Duration) async throws(ConnectionError) {
    guard hasEnded else {
      throw .invalid("the job on \"\(topic.values)\" has not ended: end it before it is flushed")
    }
    await connection.close(deadline: deadline)
    let (wasAcknowledged, fault) = state.withLock { ($0.wasAcknowledged, $0.fault) }
    if !wasAcknowledged {
      let what = "the broker did not confirm the end of the job in \(deadline)"
      throw fault ?? .timedOut("\(what); check that it accepts this user and topic")
    }
  }

  func end() { end(.failed("the bus was closed before the job had ended")) }

  func close(deadline: Duration) async {
    end()
    try? await flush(deadline: deadline)
  }

  // MARK: Publishing, under the lock

  /// The delay to arm, if any.
  private func apply(_ action: ProgressThrottle.Action, _ state: inout State) -> Duration? {
    switch action {
    case .nothing: return nil
    case .arm(let delay): return delay
    case .send(let update):
      publishProgress(update, &state)
      return nil
    }
  }

  /// QoS 0 is for a moment; the last one of a run has to arrive.
  private func publishProgress(_ update: ProgressUpdate, _ state: inout State, outcome: JobState? = nil) {
    // Progress does not wait for a connection: with the connection goes the latest.
    guard state.isConnected || outcome != nil else { return }
    state.sequence += 1
    let message = ProgressMessage(
      update, run: run, sequence: state.sequence, every: Self.every.inSeconds, time: RunFacts.time,
      outcome: outcome)
    guard let payload = try? message.payload() else { return }
    connection.send(
      Publish(
        topic.progress, payload, qos: outcome == nil ? .atMostOnce : .atLeastOnce, retain: true,
        conflates: true,
        properties: Self.properties("progress", run, isEnd: outcome != nil)))
  }

  private func publishState(_ state: inout State) {
    guard let payload = try? state.message.payload() else { return }
    let isEnd = state.message.state.isEnd
    let message = Publish(
      topic.state, payload, retain: true, conflates: true,
      properties: Self.properties("state", run, isEnd: isEnd))
    connection.publish(message) { [self] result in
      // Only an answer of the broker comes on another thread; a refusal in place would find the lock held.
      if isEnd, case .acknowledged = result { self.state.withLock { $0.wasAcknowledged = true } }
      report(message, result)
    }
  }

  /// A refusal in place comes with the lock held, where no handler may run.
  private func report(_ message: Publish, _ result: PublishResult) {
    if !core.count(result) { core.scheduler.schedule { [core] in core.report(message, result) } }
  }

  /// Hints for MQTT 5; nobody needs them to decode. The broker keeps what is said of a run for three heartbeats, at least
  /// a minute, and for a day once it has ended.
  private static func properties(_ kind: String, _ run: String, isEnd: Bool) -> MessageProperties {
    MessageProperties(
      contentType: "application/json", expiry: isEnd ? .seconds(86_400) : max(every * 3, .seconds(60)),
      userProperties: [UserProperty("kind", kind), UserProperty("run", run)])
  }

  // MARK: Time

  private func arm(_ delay: Duration) {
    let timer = core.scheduler.schedule(after: delay) { [weak self] in
      guard let self else { return }
      state.withLock { state in
        guard !state.message.state.isEnd else { return }
        _ = apply(state.throttle.fired(now: core.scheduler.now), &state)
      }
    }
    keep(timer, at: 0)
  }

  /// Stale can be told from slow: the last progress and the state again, with a new sequence number.
  private func scheduleHeartbeat() {
    let timer = core.scheduler.schedule(after: Self.every) { [weak self] in
      guard let self else { return }
      state.withLock { if $0.isConnected { publishAgain(&$0) } }
      scheduleHeartbeat()
    }
    keep(timer, at: 1)
  }

  private func keep(_ timer: any Disposable, at place: Int) {
    let isLate = state.withLock { state in
      guard !state.message.state.isEnd else { return true }
      while state.timers.count <= place { state.timers.append(timer) }
      state.timers[place] = timer
      return false
    }
    if isLate { timer.dispose() }
  }

  private func publishAgain(_ state: inout State) {
    guard !state.message.state.isEnd else { return }
    publishState(&state)
    publishLatest(&state)
  }

  private func publishLatest(_ state: inout State) {
    guard !state.message.state.isEnd, let latest = state.throttle.latest else { return }
    publishProgress(latest, &state)
  }

  // MARK: ConnectionDelegate

  func connectionDidConnect(_ session: Session) {
    state.withLock { state in
      state.isConnected = true
      // The first state waits in the outbox, in front of everything. Later on the broker may have started anew, without
      // what it had in store.
      if state.hasConnected { publishAgain(&state) } else { publishLatest(&state) }
      state.hasConnected = true
    }
    guard let filter = try? TopicFilter(topic.state) else { return }
    connection.subscribe([Subscribe(filter)]) { _ in }
  }

  func connectionDidDisconnect(_ cause: ConnectionError?) {
    state.withLock { $0.isConnected = false }
  }

  /// A late will, or end, of an old run must not stand where this run is.
  func connectionDidReceive(_ message: Message) {
    // What was in store before us has been replaced by our own state.
    guard !message.isRetained, let other = try? StateMessage(payload: message.payload), other.run != run,
      other.state.isEnd || other.state == .lost
    else { return }
    state.withLock { if !$0.message.state.isEnd { publishState(&$0) } }
  }
}
