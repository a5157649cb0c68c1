import Signals

/// The loop of one connection: what touches libmosquitto, from `connect` to the end.
///
/// A round: carry out commands, hand the next messages to the library, write, sleep in `poll`, read until drained,
/// and run the user's code: outside every call of the library, after the reading and before the next writing. So with
/// quick handlers a message is acknowledged when its handler has returned, and no other thread is needed; when they
/// are slow, another one takes the loop over (``LoopOwnership``), and what is acknowledged is held in the inbox.
///
/// Sound as `@unchecked Sendable`: all state belongs to the thread that owns the loop, and passes from one to the next
/// with the atomic word of ``LoopThreads``. What all threads share is in the ``Mailbox``.
final class EventLoop: @unchecked Sendable {
  typealias Instant = ContinuousClock.Instant
  typealias Entry = Mailbox.Entry

  let options: ConnectionOptions
  let mailbox: Mailbox
  let delegate: WeakDelegate
  let planner: WeakPlanner
  let log: Log
  var machine: ConnectionMachine
  var handle: Handle?
  var window = FlightWindow<Mailbox.Completion?>()
  var requests = PendingRequests()
  var poison = PoisonDetector()
  /// What waits for the end of a trial.
  var held: [Command] = []
  var session: Session?
  var gate = InboxGate()
  let resolve: Resolver.Resolve
  var credentialsTask: Task<Void, Never>?
  /// Counts the links that were opened on other threads.
  var attempt = 0
  var closing: Mailbox.Closing?
  var cause: ConnectionError?
  var isWriteBlocked = false
  var lastRead = Instant.now
  var lastWrite = Instant.now
  /// When libmosquitto was last asked whether to ping.
  var lastAsked = Instant.now
  /// What handlers are called with when this round comes to it.
  var deliveries: [Delivery] = []
  var reports: [Report] = []
  /// How many messages were dropped since the loop began to hurry.
  var shed = 0
  /// How many lines of the log had no room.
  var linesLeftOut = 0
  /// When the planner wants to be asked again.
  var planDue: Instant?
  /// What the end of the link that is dropped now says.
  private var linkEnd = LinkEnd.other
  /// Whether a thread that has been stopped by user code had more to call.
  private var hasLeftovers = false
  /// Whether those who wait for an answer have been told that none will come.
  private var hasFinished = false

  init(
    _ mailbox: Mailbox, delegate: WeakDelegate, planner: WeakPlanner, resolve: @escaping Resolver.Resolve
  ) {
    self.mailbox = mailbox
    self.resolve = resolve
    self.delegate = delegate
    self.planner = planner
    options = mailbox.options
    machine = ConnectionMachine(options)
    log = Log(options)
  }

  // MARK: Threads

  /// What the first thread does.
  func run() {
    handle(.connect)
    lead()
    follow(isAppointed: false)
  }

  /// What all others do, and each that lost the loop: wait until they are needed.
  private func follow(isAppointed: Bool) {
    var isAppointed = isAppointed
    while mailbox.threads.standBy(isAppointed: isAppointed, hasWork: { mailbox.hasWork }) {
      isAppointed = false
      // The one that had the loop is still in the user's code.
      if !mailbox.deliveries.isIdle { mailbox.deliveries.time() }
      if !mailbox.reports.isIdle { mailbox.reports.time() }
      hasLeftovers = true
      note(.debug, "a handler takes long: another thread goes on with the loop")
      lead()
    }
  }

  /// Goes round while this thread has the loop.
  private func lead() {
    while machine.phase != .closed {
      work()
      guard runUserCode() else { return }
      guard machine.phase != .closed else { break }
      let woken = sleepAndRead()
      checkTimes(at: woken)
      guard runUserCode() else { return }
    }
    // What a next link would have begun with: there is none.
    for entry in window.drain().again { report(entry.token, .failed(cause ?? .closed)) }
    finish()
  }

  /// Calls the handlers and completions that are due. False when another thread has taken the loop meanwhile.
  private func runUserCode() -> Bool {
    let (deliveries, reports) = (mailbox.deliveries, mailbox.reports)
    let runsReports = (hasLeftovers || !self.reports.isEmpty) && reports.add(&self.reports)
    let runsDeliveries = (hasLeftovers || !self.deliveries.isEmpty) && deliveries.add(&self.deliveries)
    hasLeftovers = false
    guard runsReports || runsDeliveries else { return true }
    let stint = mailbox.threads.open(isUrgent: gate.isHurried) { [self] in follow(isAppointed: true) }
    if runsReports { reports.run({ $0() }, hasRoom: mailbox.wakeup.signal) }
    if runsDeliveries { deliver() }
    return mailbox.threads.close(stint)
  }

  /// Calls the delegate. Whoever does this may have lost the loop, and touches nothing of it.
  private func deliver() {
    let delegate = delegate.value
    mailbox.deliveries.run(
      { delivery in
        switch delivery {
        case .message(let message): delegate?.connectionDidReceive(message)
        case .connected(let session): delegate?.connectionDidConnect(session)
        case .disconnected(let cause): delegate?.connectionDidDisconnect(cause)
        case .call(let body): body()
        }
      }, hasRoom: mailbox.wakeup.signal)
  }

  private func work() {
    let count = poison.isTrying ? 1 : Self.batchCount
    let work = mailbox.take(room: room, count: count, bytes: Self.batchBytes)
    closing = work.closing
    for completion in work.expired { report(completion, .expired) }
    if poison.isTrying, work.batch.isEmpty, window.isEmpty, mailbox.isOutboxEmpty { poison.ranOut(at: .now) }
    carryOut(work.commands)
    send(work.batch)
    write()
    noteGap()
    finishClosing()
  }

  // MARK: The machine's actions

  func handle(_ event: ConnectionMachine.Event) {
    let (endpoint, isUp) = (machine.endpoint, machine.isConnected)
    let actions = machine.handle(event, at: .now)
    // The cause of an attempt that another one follows at once shows in no state.
    if !isUp, machine.isTrying, let cause = event.failure { note(.warning, "\(endpoint): \(cause)") }
    actions.forEach(perform)
  }

  private func perform(_ action: ConnectionMachine.Action) {
    switch action {
    case .report(let state):
      if case .closed(let cause) = state { self.cause = cause }
      if case .connecting(_, let attempt) = state, attempt > 1 { poison.attemptFailed() }
      reports.append(.call { [states = mailbox.states] in states.send(state) })
      note(state.logLevel, state.description)
    case .fetchCredentials(let ticket):
      guard let closure = options.credentials else { return }
      credentialsTask = Task { [weak mailbox] in
        let answer = await Credentials.ask(closure)
        mailbox?.post(.answered(.credentials(answer, ticket: ticket)))
      }
    case .abandonCredentials:
      credentialsTask?.cancel()
    case .resolve(let endpoint, let ticket):
      guard case .tcp(let host, let port) = endpoint else { return }
      resolve(host, port) { [weak mailbox] in
        mailbox?.post(.answered(.resolved($0, ticket: ticket)))
      }
    case .open(let address, let version, let cleanStart) where options.tls != nil:
      attempt += 1
      Opener.open(
        linkOptions, address: address, version: version, cleanStart: cleanStart,
        resuming: window.resumption(at: .now)
      ) { [weak mailbox, attempt] in
        mailbox?.post(.opened(attempt: attempt, $0))
      }
    case .open(let address, let version, let cleanStart):
      do {
        handle = try Handle(
          linkOptions, address: address, version: version, cleanStart: cleanStart,
          resuming: window.resumption(at: .now))
      } catch {
        openFailed(error)
      }
    case .drop(let cause):
      drop(cause)
    }
  }

  /// Takes over a link that was opened elsewhere, unless it comes too late.
  func own(_ result: Result<HandOver, ConnectionError>, _ attempt: Int) {
    guard attempt == self.attempt, machine.isOpening, handle == nil else { return }
    switch result {
    case .success(let handOver): handle = handOver.take()
    case .failure(let error): openFailed(error)
    }
  }

  private func openFailed(_ error: ConnectionError) {
    // Options that the library refuses will be refused again.
    if case .invalid = error { handle(.close(error)) } else { handle(.failed(error)) }
  }

  func accept(_ session: Session) {
    guard self.session == nil else {
      return handle(.failed(.linkLost("the broker accepted the connection twice")))
    }
    // Who hears that there is a connection may publish at once.
    mailbox.goOnline()
    handle(.accepted(session))
    guard machine.isConnected, var session = machine.session else { return }
    mailbox.counters.connects.count()
    session.number.value = UInt32(truncatingIfNeeded: mailbox.counters.connects.value)
    self.session = session
    if session.keepAlive > .zero { handle?.detectDeadPeer(after: session.keepAlive) }
    // The library begins the link with what it was given to send again.
    mailbox.counters.messagesSent.count(window.count)
    window.open(
      limit: min(options.window, session.receiveMaximum), exactlyOnce: session.exactlyOnceMaximum)
    for entry in window.remove(where: { session.refusal(of: $0) != nil }) {
      if let code = session.refusal(of: entry.publish) { report(entry.token, .refused(code)) }
    }
    poison.linked(resumed: window.numbers, keepAlive: session.keepAlive, at: .now)
    deliveries.append(.connected(session))
    plan { $0.linkOpened(session) }
  }

  // MARK: The end of a link

  /// Tells the machine that `handle` is broken, unless another one has taken its place.
  func fail(_ handle: Handle, _ failure: ConnectionError) {
    takeIn()
    guard handle === self.handle else { return }
    linkEnd = failure.linkEnd
    // In a trial of messages no subscribe is sent.
    if poison.isTrying, linkEnd == .byBroker { linkEnd = .other }
    self.handle(.failed(judge(failure)))
    linkEnd = .other
  }

  private func drop(_ cause: ConnectionError?) {
    guard handle != nil else { return }
    handle = nil
    isWriteBlocked = false
    gate = InboxGate()
    reportShed()
    let error = cause ?? .closed
    let (again, lost) = window.cut(resumes: keepsSession)
    let (superseded, dropped) = mailbox.goOffline(again: again)
    for entry in lost { report(entry.token, .failed(error)) }
    for token in superseded { report(token, .superseded) }
    for token in dropped { report(token, .failed(error)) }
    // Before it hears that what it asked for has failed: it must not ask again.
    if session != nil { plan { $0.linkClosed(linkEnd) } }
    requests.failAll(error).forEach(conclude)
    failHeld(error)
    guard session != nil else { return }
    session = nil
    deliveries.append(.disconnected(cause))
  }

  /// Whether the next link takes up the session of this one.
  private var keepsSession: Bool { options.sessionExpiry > .zero || !options.cleanStart }

  // MARK: The end

  private func finishClosing() {
    guard let closing else { return }
    let isLate = Instant.now >= closing.deadline
    guard let handle, session != nil else {
      // Asked now: the link may have broken in this round, and what flew waits again.
      if mailbox.isOutboxEmpty && window.isEmpty || isLate { self.handle(.close(nil)) }
      return
    }
    let isFlushed =
      mailbox.isOutboxEmpty && window.isEmpty && requests.isEmpty && held.isEmpty && !isWriteBlocked
    guard isFlushed || isLate else { return }
    let left = Instant.now.duration(to: closing.deadline)
    handle.disconnect(patience: min(max(left, .milliseconds(100)), .seconds(1)))
    settle()
    self.handle(.close(nil))
  }

  /// The loop is over: tells everybody who waits, and waits itself for the handlers, if it may. Even now another
  /// thread goes on when one of those who are told does not return.
  private func finish() {
    if !hasFinished {
      hasFinished = true
      reports += mailbox.finish(cause)
      reports.append(.call { [states = mailbox.states] in states.complete() })
    }
    guard runUserCode() else { return }
    mailbox.threads.end()
    while !(mailbox.deliveries.isIdle && mailbox.reports.isIdle) {
      let closing = mailbox.ending
      let deadline = closing.map { $0.waitsForHandlers ? $0.deadline : .now } ?? .now
      if mailbox.threads.waitForDeparture(until: deadline) { continue }
      if closing != nil { _ = mailbox.deliveries.abandon { !$0.isMessage } }
      break
    }
    for waiter in mailbox.end() { waiter() }
  }

  // MARK: Reports

  func report(_ completion: Mailbox.Completion?, _ result: PublishResult) {
    if let completion { reports.append(.result(completion, result)) }
  }
}

/// A delegate that the connection does not keep alive.
struct WeakDelegate: Sendable {
  weak var value: (any ConnectionDelegate)?
}
