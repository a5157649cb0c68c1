import MQTT
import Signals

/// Asks the broker once more for what it has in store of a filter, for late subscribers whom the cache can't serve: by
/// short connections of their own, one at a time (`bus.md`, late subscribers).
final class RetainedFetch: BusMember {
  /// Who waits for the messages of a filter.
  struct Order: Sendable {
    let filter: TopicFilter
    let observer: RefilledObserver
  }

  private struct State {
    /// Those that wait for their turn.
    var orders: [Order] = []
    var isBusy = false
    var errand: Errand?
    var hasEnded = false
  }

  private let options: ConnectionOptions
  private let scheduler: any Scheduler
  private let problems: Subject<Problem>
  private let state = Lock(State())

  init(_ options: ConnectionOptions, _ scheduler: any Scheduler, _ problems: Subject<Problem>) {
    var options = options
    options.sessionExpiry = .zero
    options.will = nil
    self.options = options
    self.scheduler = scheduler
    self.problems = problems
  }

  func fetch(_ order: Order) {
    problems.send(
      Problem(
        order.filter.name,
        "more topics than are remembered: the broker is asked once more for a late subscriber"))
    let isFree = state.withLock { state in
      if state.hasEnded { return false }
      state.orders.append(order)
      defer { state.isBusy = true }
      return !state.isBusy
    }
    if isFree { next() }
  }

  private func next() {
    while let order = take() {
      do {
        let errand = try Errand(order, options, scheduler)
        let isLate = state.withLock { state in
          if !state.hasEnded { state.errand = errand }
          return state.hasEnded
        }
        if isLate { return }
        return errand.run { [self] problem in finished(order, problem) }
      } catch {
        problems.send(Problem(order.filter.name, "not fetched: \(error)"))
        order.observer.refilled()
      }
    }
  }

  private func finished(_ order: Order, _ problem: String?) {
    if let problem { problems.send(Problem(order.filter.name, problem)) }
    let errand = state.withLock { $0.errand.take() }
    order.observer.refilled()
    _ = consume errand
    next()
  }

  /// The first whose observer has not left: they may be very many. When there is none, the next one who comes is free to
  /// go on.
  private func take() -> Order? {
    while true {
      let waiting = state.withLock { $0.orders }
      // Not under the lock: observers may be the user's.
      let gone = waiting.prefix { $0.observer.isDisposed }.count
      let (order, isOver) = state.withLock { state -> (Order?, Bool) in
        state.orders.removeFirst(min(gone, state.orders.count))
        state.isBusy = !state.orders.isEmpty
        let isMine = gone < waiting.count && state.isBusy
        return (isMine ? state.orders.removeFirst() : nil, !state.isBusy)
      }
      withExtendedLifetime(waiting) {}
      if let order { return order }
      if isOver { return nil }
    }
  }

  // MARK: BusMember

  func end() {
    let (orders, errand) = state.withLock { state in
      state.hasEnded = true
      defer { state.orders = [] }
      return (state.orders, state.errand.take())
    }
    errand?.stop()
    _ = consume orders
  }

  func close(deadline: Duration) async { end() }
}

/// One connection, from its beginning to the silence after the last stored message.
private final class Errand: ConnectionDelegate {
  /// How long it waits for one more stored message.
  private static let silence = Duration.milliseconds(500)

  private struct State {
    var end: (@Sendable (String?) -> Void)?
    var lastMessage = Duration.zero
    /// Whether the observer is at the last message: however long that takes, others may wait behind it.
    var isDelivering = false
    var timer: (any Disposable)?
  }

  private let order: RetainedFetch.Order
  private let connection: Connection
  private let scheduler: any Scheduler
  private let state = Lock(State())

  init(
    _ order: RetainedFetch.Order, _ options: ConnectionOptions, _ scheduler: any Scheduler
  ) throws(ConnectionError) {
    self.order = order
    self.scheduler = scheduler
    var options = options
    // The bus has its own, and the broker may not have heard yet that the last errand is over: two clients with one id
    // push each other out.
    options.clientID = ConnectionOptions(endpoint: options.endpoint).clientID
    connection = try Connection(options)
  }

  /// `end` is called once, with what went wrong.
  func run(_ end: @escaping @Sendable (String?) -> Void) {
    state.withLock { $0.end = end }
    connection.states.subscribe { [weak self] state in
      switch state {
      case .waiting(_, let cause): self?.finish(cause)
      case .closed(let cause?): self?.finish(cause)
      case .idle, .connecting, .connected, .closed(nil): break
      }
    }
    connection.connect(delegate: self)
  }

  func stop() { finish(nil) }

  private func finish(_ cause: ConnectionError?) {
    let (end, timer) = state.withLock { ($0.end.take(), $0.timer.take()) }
    timer?.dispose()
    guard let end else { return }
    let dropped = connection.metrics.messagesDropped
    connection.close(deadline: .seconds(1)) {}
    if let cause { return end("not fetched: \(cause)") }
    end(dropped == 0 ? nil : "\(dropped) stored messages not fetched: a late subscriber is too slow for them")
  }

  private func watch() {
    let timer = scheduler.schedule(after: Self.silence) { [weak self] in
      guard let self else { return }
      if order.observer.isDisposed { return finish(nil) }
      if let since = silence, scheduler.now - since >= Self.silence { ask(since) } else { watch() }
    }
    state.withLock { $0.timer = timer }
  }

  /// Since when nothing has come and nothing waits.
  private var silence: Duration? {
    let isDelivered = connection.metrics.inbox.count == 0
    return state.withLock { isDelivered && !$0.isDelivering ? $0.lastMessage : nil }
  }

  /// A broker that is busy is silent, too. It answers requests in their order, so what it answers a last one after,
  /// which changes nothing, has come.
  private func ask(_ since: Duration) {
    guard let nothing = try? TopicFilter("signalbox/nothing") else { return finish(nil) }
    connection.unsubscribe([nothing]) { [weak self] answer in
      guard let self else { return }
      switch answer {
      case .success: if silence == since { finish(nil) } else { watch() }
      case .failure(let error): finish(error)
      }
    }
  }

  // MARK: ConnectionDelegate

  func connectionDidConnect(_ session: Session) {
    connection.subscribe([Subscribe(order.filter, qos: .atMostOnce)]) { [weak self] answer in
      guard let self else { return }
      switch answer {
      case .success(let results):
        if case .refused(let code) = results.first {
          return finish(.badAnswer("it refuses to a second connection what it grants to the first: \(code)"))
        }
        let now = scheduler.now
        state.withLock { $0.lastMessage = now }
        watch()
      case .failure(let error): finish(error)
      }
    }
  }

  func connectionDidDisconnect(_ cause: ConnectionError?) {}

  func connectionDidReceive(_ message: Message) {
    // Live ones come by the bus.
    guard message.isRetained else { return }
    state.withLock { $0.isDelivering = true }
    var message = message
    message.origin = .stored
    order.observer.refill(message)
    let now = scheduler.now
    state.withLock { state in
      state.isDelivering = false
      state.lastMessage = now
    }
  }
}
