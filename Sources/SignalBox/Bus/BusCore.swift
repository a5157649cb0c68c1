import MQTT
import Signals

/// The thin shell of a bus: keeps the table of subscriptions and the routes, and lets the connection do what the table
/// says, in that order.
final class BusCore: Sendable {
  private struct State {
    var table = SubscriptionTable()
    var routes: [TopicFilter: Route] = [:]
    var upstreams: [TopicFilter: WeakUpstream] = [:]
    var link: BusLink?
    var session = Session()
    var jobs: [ObjectIdentifier: any BusMember] = [:]
    var isClosed = false
  }

  let options: ConnectionOptions
  let linger: Duration
  let scheduler: any Scheduler
  let states = Subject<ConnectionState>(replay: 1)
  let problems = Subject<Problem>()
  private let state: Lock<State>
  private let actions = DrainQueue<SubscriptionTable.Action>()

  init(
    _ connection: Connection, _ options: ConnectionOptions, linger: Duration, _ scheduler: any Scheduler
  ) {
    self.options = options
    self.linger = linger
    self.scheduler = scheduler
    state = Lock(State())
    let link = BusLink(connection, self)
    state.withLock { $0.link = link }
    states.send(.idle)
    observe(connection)
  }

  // MARK: Connection

  /// The connection, which begins to connect with this call; a new one after the last was refused for good.
  var connection: Result<Connection, ConnectionError> {
    let (current, isClosed) = state.withLock { ($0.link, $0.isClosed) }
    if isClosed { return .failure(.closed) }
    if let current { return .success(current.connect()) }
    return Result { () throws(ConnectionError) in
      let fresh = BusLink(try Connection(options), self)
      // Meanwhile another thread may have made one, or closed the bus.
      let installed = state.withLock { state -> BusLink? in
        if state.isClosed { return nil }
        if state.link == nil { state.link = fresh }
        return state.link
      }
      guard let installed else { throw .closed }
      if installed === fresh { observe(fresh.connection) }
      return installed.connect()
    }
  }

  private func observe(_ connection: Connection) {
    connection.states.subscribe { [weak self, weak connection] state in
      guard let self, let connection, state != .idle else { return }
      if case .closed(let cause) = state { lost(connection, cause) }
      states.send(state)
    }
  }

  /// The connection is closed for good, by us or by a refusal.
  private func lost(_ connection: Connection, _ cause: ConnectionError?) {
    let (routes, link) = state.withLock { state -> ([Route], BusLink?) in
      guard state.link?.connection === connection else { return ([], nil) }
      state.table.disconnected()
      defer { state.routes = [:] }
      return (Array(state.routes.values), state.link.take())
    }
    // The last reference to the connection is let go of outside the lock.
    _ = consume link
    guard let cause else { return }
    for route in routes { route.observer.fail(BusError.refused(cause)) }
  }

  // MARK: Wanting

  func upstream(_ filter: TopicFilter) -> Upstream {
    if let known = state.withLock({ $0.upstreams[filter]?.upstream }) { return known }
    let fresh = Upstream(filter, self)
    return state.withLock { state in
      if let known = state.upstreams[filter]?.upstream { return known }
      state.upstreams[filter] = WeakUpstream(upstream: fresh)
      return fresh
    }
  }

  func forget(_ filter: TopicFilter) {
    let known = state.withLock { state in
      let known = state.upstreams[filter]?.upstream
      if known == nil { state.upstreams[filter] = nil }
      return known
    }
    // It may be the last reference: let go of outside the lock.
    _ = consume known
  }

  func want(_ filter: TopicFilter, _ qos: QoS, _ route: Route) {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.routes[filter] = route }
      return state.isClosed
    }
    if isClosed { return route.observer.fail(BusError.closed) }
    update { $0.table.want(filter, qos) }
    if case .failure(let error) = connection { route.observer.fail(BusError.refused(error)) }
  }

  func raise(_ filter: TopicFilter, _ qos: QoS) {
    update { $0.table.entries[filter]?.wanted == nil ? nil : $0.table.want(filter, qos) }
  }

  func unwant(_ filter: TopicFilter) {
    let route = state.withLock { $0.routes.removeValue(forKey: filter) }
    update { $0.table.unwant(filter) }
    _ = consume route
  }

  // MARK: Performing

  private func update(_ change: (inout State) -> SubscriptionTable.Action?) {
    updateAll { change(&$0).map { [$0] } ?? [] }
  }

  /// Changes the table and performs what comes of it. The actions queue up under the same lock, so they are performed
  /// in the order in which they were decided.
  private func updateAll(_ change: (inout State) -> [SubscriptionTable.Action]) {
    var next = state.withLock { state in
      var mine: SubscriptionTable.Action?
      for action in change(&state) { mine = actions.enter(action) ?? mine }
      return mine
    }
    while let action = next {
      perform(action)
      next = actions.next()
    }
  }

  private func perform(_ action: SubscriptionTable.Action) {
    let (connection, session, route) = state.withLock { state in
      switch action {
      case .subscribe(let filter, _, _, _): (state.link?.connection, state.session, state.routes[filter])
      case .unsubscribe: (state.link?.connection, state.session, nil)
      }
    }
    switch action {
    case .subscribe(let filter, let qos, let identifier, let isRaise):
      // What a job says of its life is always retained, so there the flag can tell what this means for a reader: stored
      // or live. Elsewhere only the flag as published tells what a late subscriber has to get.
      let keepsRetainFlag = session.version == .v5 && !JobTopic.isReserved(filter.name)
      if !isRaise { route?.cache.willSubscribe(keepsRetainFlag: keepsRetainFlag) }
      let subscribe = Subscribe(
        filter, qos: qos, identifier: identifier, retainAsPublished: keepsRetainFlag,
        retainHandling: isRaise ? .never : .always)
      connection?.subscribe([subscribe]) { [weak self] in self?.subscribed(filter, $0) }
    case .unsubscribe(let filter):
      connection?.unsubscribe([filter]) { [weak self] in self?.unsubscribed(filter, $0) }
    }
  }

  private func subscribed(_ filter: TopicFilter, _ result: Result<[SubscribeResult], ConnectionError>) {
    switch result {
    case .success(let answers):
      if case .refused(let code) = answers.first {
        refuse(filter, BusError.subscriptionRefused(filter, code))
      } else {
        state.withLock { $0.routes[filter]?.cache }?.didSubscribe()
        update { $0.table.granted(filter) }
      }
    case .failure(.timedOut):
      update { $0.table.unanswered(filter) }
    case .failure(.invalid(let problem)):
      refuse(filter, BusError.refused(.invalid(problem)))
    case .failure(.badAnswer(let problem)):
      refuse(filter, BusError.refused(.badAnswer(problem)))
    case .failure:
      // The link is gone, which comes as an event of its own.
      break
    }
  }

  private func refuse(_ filter: TopicFilter, _ error: BusError) {
    let route = state.withLock { state in
      state.table.refused(filter)
      return state.routes.removeValue(forKey: filter)
    }
    route?.observer.fail(error)
  }

  private func unsubscribed(_ filter: TopicFilter, _ result: Result<Void, ConnectionError>) {
    switch result {
    case .success: update { $0.table.unsubscribed(filter) }
    case .failure(.timedOut), .failure(.badAnswer): update { $0.table.unanswered(filter) }
    case .failure: break
    }
  }

  // MARK: What links tell

  func didConnect(_ session: Session, _ link: BusLink) {
    updateAll { state in
      guard state.link === link else { return [] }
      state.session = session
      return state.table.connected(sessionPresent: session.isPresent)
    }
  }

  func didDisconnect(_ link: BusLink) {
    state.withLock { if $0.link === link { $0.table.disconnected() } }
  }

  /// By identifier where the broker gives one; otherwise each filter that matches gets the one copy.
  func didReceive(_ message: Message, _ link: BusLink) {
    let routes = state.withLock { state -> [Route] in
      guard state.link === link else { return [] }
      guard !message.subscriptionIdentifiers.isEmpty else {
        return state.routes.values.filter { $0.filter.matches(message.topic) }
      }
      let filters = message.subscriptionIdentifiers.compactMap { state.table.filter(of: $0) }
      return filters.compactMap { state.routes[$0] }
    }
    for route in routes { route.receive(message) }
  }

  // MARK: Closing

  /// `false` when the bus is closed already.
  func add(_ job: any BusMember) -> Bool {
    state.withLock { state in
      if !state.isClosed { state.jobs[ObjectIdentifier(job)] = job }
      return !state.isClosed
    }
  }

  func remove(_ job: any BusMember) {
    let removed = state.withLock { $0.jobs.removeValue(forKey: ObjectIdentifier(job)) }
    _ = consume removed
  }

  func close(deadline: Duration) async {
    let (routes, jobs, connection) = state.withLock { state in
      state.isClosed = true
      defer { state.routes = [:] }
      return (Array(state.routes.values), Array(state.jobs.values), state.link?.connection)
    }
    // First the jobs: one that is fed by a signal of this bus would take its completion for the end of the work.
    for job in jobs { job.end() }
    for route in routes { route.observer.complete() }
    await withTaskGroup(of: Void.self) { group in
      for job in jobs { group.addTask { await job.close(deadline: deadline) } }
      if let connection { group.addTask { await connection.close(deadline: deadline) } }
    }
    states.complete()
    problems.complete()
  }
}

/// What a bus closes together with itself.
protocol BusMember: AnyObject, Sendable {
  /// Ends it, if it has not ended.
  func end()
  /// Ends it, and waits for what it still has to send.
  func close(deadline: Duration) async
}
