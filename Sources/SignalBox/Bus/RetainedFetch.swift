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
    var orders: [Order] = []
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
    let isFirst = state.withLock { state in
      if state.hasEnded { return false }
      state.orders.append(order)
      return state.orders.count == 1
    }
    if isFirst { next() }
  }

  private func next() {
    guard let order = state.withLock({ $0.orders.first }) else { return }
    if order.observer.isDisposed { return finished() }
    do {
      let errand = try Errand(order, options, scheduler)
      let isLate = state.withLock { state in
        if !state.hasEnded { state.errand = errand }
        return state.hasEnded
      }
      if isLate { return }
      errand.run { [self] error in
        if let error { problems.send(Problem(order.filter.name, "not fetched: \(error)")) }
        finished()
      }
    } catch {
      problems.send(Problem(order.filter.name, "not fetched: \(error)"))
      finished()
    }
  }

  private func finished() {
    let (order, errand) = state.withLock { state in
      (state.orders.isEmpty ? nil : state.orders.removeFirst(), state.errand.take())
    }
    order?.observer.refilled()
    _ = consume errand
    next()
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
    var end: (@Sendable (ConnectionError?) -> Void)?
    var lastMessage = Duration.zero
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

  /// `end` is called once.
  func run(_ end: @escaping @Sendable (ConnectionError?) -> Void) {
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
    connection.close(deadline: .seconds(1)) {}
    end(cause)
  }

  private func watch() {
    let timer = scheduler.schedule(after: Self.silence) { [weak self] in
      guard let self else { return }
      let isSilent = state.withLock { scheduler.now - $0.lastMessage >= Self.silence }
      if isSilent || order.observer.isDisposed { finish(nil) } else { watch() }
    }
    state.withLock { $0.timer = timer }
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
        state.withLock { $0.lastMessage = self.scheduler.now }
        watch()
      case .failure(let error): finish(error)
      }
    }
  }

  func connectionDidDisconnect(_ cause: ConnectionError?) {}

  func connectionDidReceive(_ message: Message) {
    // Live ones come by the bus.
    guard message.isRetained else { return }
    state.withLock { $0.lastMessage = scheduler.now }
    var message = message
    message.origin = .stored
    order.observer.refill(message)
  }
}
