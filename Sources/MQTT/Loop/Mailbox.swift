import Signals

/// What the loop thread and all others share: the outbox, commands, and who has to be woken.
///
/// Nobody is called under the lock. The loop is woken only when it sleeps and could do something about it.
final class Mailbox: Sendable {
  typealias Instant = ContinuousClock.Instant
  typealias Completion = @Sendable (PublishResult) -> Void
  typealias Entry = Outbox<Completion?>.Entry

  /// A close that was asked for.
  struct Closing: Equatable {
    /// When it may wait no longer.
    var deadline: Instant
    /// Whether it also waits for handlers. A handler that closes may not wait for itself.
    var waitsForHandlers: Bool
  }

  fileprivate enum Life {
    case idle
    case running
    case closing(Closing)
    /// The link is over, and handlers may still be at work.
    case ending(Closing?, ConnectionError?)
    case closed(ConnectionError?)
  }

  fileprivate enum Sleep {
    case no
    /// Asleep, and a publish would have to wait anyway.
    case deaf
    /// Asleep, with room for so many messages of QoS 1 and 2.
    case listening(room: FlightRoom)
  }

  fileprivate struct State {
    var outbox: Outbox<Completion?>
    var commands: [Command] = []
    var life = Life.idle
    var sleep = Sleep.no
    /// When the sleeping loop wakes up to look for what has expired.
    var expiryCheck: Instant?
    var isOnline = false
    var waiters: [@Sendable () -> Void] = []
  }

  /// What the loop thread has to do.
  struct Work {
    var commands: [Command]
    var batch: [Entry] = []
    /// Whom to tell that their messages have expired.
    var expired: [Completion?] = []
    var closing: Closing?
  }

  let options: ConnectionOptions
  let states = Subject<ConnectionState>(replay: 1)
  let wakeup: Wakeup
  let threads = LoopThreads()
  /// What handlers have not been called with yet; bounded by stopping to read.
  let deliveries: Lane<Delivery>
  /// How calls ended; bounded by stopping to send.
  let reports: Lane<Report>
  let counters = Counters()
  private let state: Lock<State>

  init(_ options: ConnectionOptions) throws(ConnectionError) {
    self.options = options
    wakeup = try Wakeup()
    state = Lock(State(outbox: Outbox(limits: options.outboxLimits)))
    deliveries = Lane(limits: options.inboxLimits)
    reports = Lane(limits: QueueSize(count: max(options.outboxLimits.count, 1_000), bytes: .max))
    states.send(.idle)
  }

  // MARK: From any thread

  /// Whether this call is the one that has to start the thread.
  func start() -> Bool {
    state.withLock { state in
      guard case .idle = state.life else { return false }
      state.life = .running
      return true
    }
  }

  func publish(_ publish: Publish, _ completion: Completion?) {
    var failure: PublishResult?
    var settled: [(Completion, PublishResult)] = []
    // What leaves the outbox before it was sent waits for its completion without a place in there.
    let isFull = (publish.conflates || publish.properties.expiry != nil) && reports.isFull
    let wakes = state.withLock { state -> Bool in
      if let closed = state.closedError {
        failure = .failed(closed)
        return false
      }
      if isFull {
        failure = .overflowed
        return false
      }
      var offer = state.outbox.offer(publish, token: completion, isOnline: state.isOnline)
      if case .overflowed = offer, state.outbox.nextExpiry != nil {
        let expired = state.outbox.expire(at: .now)
        settled = expired.compactMap { token in token.map { ($0, .expired) } }
        if !expired.isEmpty {
          offer = state.outbox.offer(publish, token: completion, isOnline: state.isOnline)
        }
      }
      switch offer {
      case .queued(let older): if let older = older ?? nil { settled.append((older, .superseded)) }
      case .overflowed: failure = .overflowed
      case .offline: failure = .failed(.notConnected)
      }
      guard state.hasThread, !settled.isEmpty else { return state.wakesForOutbox() }
      // Not here: whoever publishes may hold a lock that the completion of another message takes.
      state.commands += settled.map { .settled($0.0, $0.1) }
      settled = []
      return state.wakes()
    }
    if wakes { wakeup.signal() } else if failure == nil { ask() }
    for (completion, result) in settled { completion(result) }
    if let failure { completion?(failure) }
  }

  func post(_ command: Command) {
    var failure: ConnectionError?
    let wakes = state.withLock { state -> Bool in
      switch state.life {
      case .idle: failure = .notConnected
      case .ending(_, let cause), .closed(let cause): failure = cause ?? .closed
      case .closing where command.answer != nil: failure = .closed
      case .running, .closing: state.commands.append(command)
      }
      return failure == nil && state.wakes()
    }
    if wakes { wakeup.signal() } else if failure == nil { ask() }
    if let failure { command.answer?.fail(failure) }
  }

  /// The owner of the loop is busy; if that is with a handler, and for long, another thread has to see to what came.
  private func ask() {
    threads.ask { deliveries.isInside || reports.isInside }
  }

  /// Asks for the end, at `deadline` at the latest. `completion` is called when it has come.
  func close(by deadline: Instant, _ completion: (@Sendable () -> Void)?) {
    var isOver = false
    var wasIdle = false
    var isEnding = false
    let isInside = deliveries.isInside || reports.isInside
    let wakes = state.withLock { state -> Bool in
      var closing = Closing(deadline: deadline, waitsForHandlers: !isInside)
      switch state.life {
      case .closed:
        isOver = true
        return false
      case .idle: wasIdle = true
      case .running, .ending(nil, _): break
      case .closing(let earlier), .ending(let earlier?, _):
        closing.deadline = min(earlier.deadline, deadline)
        closing.waitsForHandlers = earlier.waitsForHandlers && !isInside
      }
      if let completion { state.waiters.append(completion) }
      if case .ending(_, let cause) = state.life {
        state.life = .ending(closing, cause)
        isEnding = true
        return false
      }
      state.life = .closing(closing)
      return state.wakes()
    }
    if isEnding { return threads.recheck() }
    if wakes { wakeup.signal() } else if !isOver { ask() }
    if isOver { completion?() }
    if wasIdle { abort(nil) }
  }

  /// The end of a connection that has no thread.
  func abort(_ cause: ConnectionError?) {
    for end in finish(cause) { end() }
    states.send(.closed(cause))
    states.complete()
    for waiter in end() { waiter() }
  }

  // MARK: From the loop thread

  /// Takes all commands, and with `room` the next messages to send.
  func take(room: FlightRoom?, count: Int, bytes: Int) -> Work {
    counters.rounds.count()
    return state.withLock { state in
      state.sleep = .no
      var work = Work(commands: state.commands)
      if !state.commands.isEmpty { state.commands = [] }
      if state.outbox.nextExpiry != nil { work.expired = state.outbox.expire(at: .now) }
      if let room { state.outbox.take(room: room, count: count, bytes: bytes, into: &work.batch) }
      if case .closing(let closing) = state.life { work.closing = closing }
      return work
    }
  }

  /// Whether the loop may sleep: nothing came since `closing` was taken. If so, it is woken for what comes.
  func maySleep(room: FlightRoom?, closing: Closing?) -> Bool {
    state.withLock { state in
      if !state.commands.isEmpty { return false }
      if case .closing(let latest) = state.life, latest != closing { return false }
      if let room, state.outbox.canSend(room: room) { return false }
      state.sleep = room.map { .listening(room: $0) } ?? .deaf
      state.expiryCheck = state.outbox.nextExpiry
      return true
    }
  }

  /// When a message that waits expires, as of the last ``maySleep(room:closing:)``; an earlier one wakes the loop.
  var expiryCheck: Instant? {
    state.withLock { $0.expiryCheck }
  }

  var isOutboxEmpty: Bool {
    state.withLock { $0.outbox.isEmpty }
  }

  func awake() {
    state.withLock { $0.sleep = .no }
  }

  func goOnline() {
    state.withLock { $0.isOnline = true }
  }

  /// Takes back what must be sent again, and drops what does not wait for a connection.
  func goOffline(again: [Entry]) -> (superseded: [Completion?], dropped: [Completion?]) {
    state.withLock { state in
      state.isOnline = false
      return (state.outbox.putBack(again), state.outbox.goOffline())
    }
  }

  /// Puts the part of a batch that could not be sent back in front.
  func putBack(_ entries: [Entry]) -> [Completion?] {
    state.withLock { $0.outbox.putBack(entries) }
  }

  /// Whether something waits that an owner could see to.
  var hasWork: Bool {
    state.withLock { state in
      if !state.commands.isEmpty { return true }
      if case .closing = state.life { return true }
      return state.isOnline && !state.outbox.isEmpty
    }
  }

  /// Takes nothing from now on, and gives what tells those who still wait for an answer. `cause` is nil for a close
  /// that was asked for.
  func finish(_ cause: ConnectionError?) -> [Report] {
    let (tokens, commands) = state.withLock { state in
      var closing: Closing?
      if case .closing(let latest) = state.life { closing = latest }
      state.life = .ending(closing, cause)
      defer { state.commands = [] }
      return (state.outbox.removeAll(), state.commands)
    }
    let error = cause ?? .closed
    var ends = tokens.compactMap { token in token.map { Report.result($0, .failed(error)) } }
    for answer in commands.compactMap(\.answer) { ends.append(.call { answer.fail(error) }) }
    return ends
  }

  /// After ``finish(_:)``: what has been asked for until now.
  var ending: Closing? {
    state.withLock { state in
      if case .ending(let closing, _) = state.life { closing } else { nil }
    }
  }

  /// After ``finish(_:)``: it is over, and these wait for that.
  func end() -> [@Sendable () -> Void] {
    state.withLock { state in
      if case .ending(_, let cause) = state.life { state.life = .closed(cause) }
      defer { state.waiters = [] }
      return state.waiters
    }
  }

  // MARK: Seen from outside

  /// How many times the loop has gone round.
  var loopCount: Int { counters.rounds.value }

  var metrics: ConnectionMetrics {
    var metrics = ConnectionMetrics()
    metrics.connects = counters.connects.value
    metrics.messagesReceived = counters.messagesReceived.value
    metrics.bytesReceived = counters.bytesReceived.value
    metrics.messagesSent = counters.messagesSent.value
    metrics.messagesDropped = counters.messagesDropped.value
    metrics.inboxOverflows = counters.inboxOverflows.value
    metrics.inbox = deliveries.level
    metrics.outbox = state.withLock { QueueSize(count: $0.outbox.count, bytes: $0.outbox.bytes) }
    metrics.stalledHandler = stalledHandler
    return metrics
  }

  private var stalledHandler: ConnectionMetrics.StalledHandler? {
    if let (delivery, time) = deliveries.slow {
      if case .message(let message) = delivery { return .init(topic: message.topic, duration: time) }
      return .init(topic: nil, duration: time)
    }
    return reports.slow.map { .init(topic: nil, duration: $0.time) }
  }
}

extension Mailbox.State {
  fileprivate var closedError: ConnectionError? {
    switch life {
    case .ending(_, let cause), .closed(let cause): cause ?? .closed
    case .closing: .closed
    case .idle, .running: nil
    }
  }

  /// Whether there is anybody to carry out commands.
  fileprivate var hasThread: Bool {
    if case .idle = life { false } else { true }
  }

  fileprivate mutating func wakes() -> Bool {
    if case .no = sleep { return false }
    sleep = .no
    return true
  }

  fileprivate mutating func wakesForOutbox() -> Bool {
    if case .no = sleep { return false }
    if let next = outbox.nextExpiry, expiryCheck.map({ next < $0 }) ?? true { return wakes() }
    guard case .listening(let room) = sleep, outbox.canSend(room: room) else { return false }
    return wakes()
  }
}
