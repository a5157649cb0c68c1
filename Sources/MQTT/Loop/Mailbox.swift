import Signals
import Synchronization

/// What the loop thread and all others share: the outbox, commands, and who has to be woken.
///
/// Nobody is called under the lock. The loop is woken only when it sleeps and could do something about it.
final class Mailbox: Sendable {
  typealias Instant = ContinuousClock.Instant
  typealias Completion = @Sendable (PublishResult) -> Void
  typealias Entry = Outbox<Completion?>.Entry

  fileprivate enum Life {
    case idle
    case running
    case closing(until: Instant)
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
    /// When a close that was asked for may wait no longer.
    var closing: Instant?
    var isOutboxEmpty = true
  }

  let options: ConnectionOptions
  let states = Subject<ConnectionState>(replay: 1)
  let wakeup: Wakeup
  private let state: Lock<State>
  private let iterations = Atomic<Int>(0)

  init(_ options: ConnectionOptions) throws(ConnectionError) {
    self.options = options
    wakeup = try Wakeup()
    state = Lock(State(outbox: Outbox(limits: options.outboxLimits)))
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
    var superseded: Completion?
    var expired: [Completion?] = []
    var failure: PublishResult?
    let wakes = state.withLock { state -> Bool in
      if let closed = state.closedError {
        failure = .failed(closed)
        return false
      }
      var offer = state.outbox.offer(publish, token: completion, isOnline: state.isOnline)
      if case .overflowed = offer, state.outbox.nextExpiry != nil {
        expired = state.outbox.expire(at: .now)
        if !expired.isEmpty {
          offer = state.outbox.offer(publish, token: completion, isOnline: state.isOnline)
        }
      }
      switch offer {
      case .queued(let older): superseded = older ?? nil
      case .overflowed: failure = .overflowed
      case .offline: failure = .failed(.notConnected)
      }
      return state.wakesForOutbox()
    }
    if wakes { wakeup.signal() }
    superseded?(.superseded)
    for completion in expired { completion?(.expired) }
    if let failure { completion?(failure) }
  }

  func post(_ command: Command) {
    var failure: ConnectionError?
    let wakes = state.withLock { state -> Bool in
      switch state.life {
      case .idle: failure = .notConnected
      case .closed(let cause): failure = cause ?? .closed
      case .closing where command.answer != nil: failure = .closed
      case .running, .closing: state.commands.append(command)
      }
      return failure == nil && state.wakes()
    }
    if wakes { wakeup.signal() }
    if let failure { command.answer?.fail(failure) }
  }

  /// Asks for the end, at `deadline` at the latest. `completion` is called when it has come.
  func close(by deadline: Instant, _ completion: (@Sendable () -> Void)?) {
    var isOver = false
    var wasIdle = false
    let wakes = state.withLock { state -> Bool in
      switch state.life {
      case .closed:
        isOver = true
        return false
      case .idle:
        state.life = .closing(until: deadline)
        wasIdle = true
      case .running: state.life = .closing(until: deadline)
      case .closing(let until): state.life = .closing(until: min(until, deadline))
      }
      if let completion { state.waiters.append(completion) }
      return state.wakes()
    }
    if wakes { wakeup.signal() }
    if isOver { completion?() }
    if wasIdle { finish(nil, report: true) }
  }

  // MARK: From the loop thread

  /// How many times the loop has gone round.
  var loopCount: Int { iterations.load(ordering: .relaxed) }

  /// Takes all commands, and with `room` the next messages to send.
  func take(room: FlightRoom?, count: Int, bytes: Int) -> Work {
    iterations.add(1, ordering: .relaxed)
    return state.withLock { state in
      state.sleep = .no
      var work = Work(commands: state.commands)
      if !state.commands.isEmpty { state.commands = [] }
      if state.outbox.nextExpiry != nil { work.expired = state.outbox.expire(at: .now) }
      if let room { state.outbox.take(room: room, count: count, bytes: bytes, into: &work.batch) }
      if case .closing(let until) = state.life { work.closing = until }
      work.isOutboxEmpty = state.outbox.isEmpty
      return work
    }
  }

  /// Whether the loop may sleep: nothing came since `closing` was taken. If so, it is woken for what comes.
  func maySleep(room: FlightRoom?, closing: Instant?) -> Bool {
    state.withLock { state in
      if !state.commands.isEmpty { return false }
      if case .closing(let until) = state.life, until != closing { return false }
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

  /// Ends everything that still waits. `cause` is nil for a close that was asked for.
  func finish(_ cause: ConnectionError?, report: Bool = false) {
    let (tokens, commands, waiters) = state.withLock { state in
      defer {
        state.life = .closed(cause)
        state.commands = []
        state.waiters = []
      }
      return (state.outbox.removeAll(), state.commands, state.waiters)
    }
    let error = cause ?? .closed
    for token in tokens { token?(.failed(error)) }
    for command in commands { command.answer?.fail(error) }
    if report { states.send(.closed(cause)) }
    states.complete()
    for waiter in waiters { waiter() }
  }
}

extension Mailbox.State {
  fileprivate var closedError: ConnectionError? {
    switch life {
    case .closed(let cause): cause ?? .closed
    case .closing: .closed
    case .idle, .running: nil
    }
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
