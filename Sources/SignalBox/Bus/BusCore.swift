import MQTT
import Signals
import Synchronization

/// What a bus is made of: the table of subscriptions, whose messages are whose, and the link.
///
/// Anybody changes what is wanted; the owner of the connection's loop sends the difference to what the broker has
/// (`BusCore+Link.swift`), and whoever delivers messages routes them (`BusCore+Routing.swift`).
final class BusCore: Sendable {
  struct State {
    var table: SubscriptionTable<Upstream>
    /// By topic; made when first needed: in MQTT 5 identifiers tell.
    var routes: TopicRoutes<Upstream>?
    var waiting = Waiting()
    var link: BusLink?
    /// That of the link that is open.
    var session: Session?
    /// Whether to do without identifiers, as in MQTT 3.1.1: this broker puts several into one message.
    var avoidsIdentifiers = false
    /// The link that the messages which are delivered now came by.
    var delivering = LinkFacts()
    /// When the earliest linger ends for which there is a timer.
    var lingerTimer: Duration?
    var isPlanPosted = false
    var fetch: RetainedFetch?
    var members: [ObjectIdentifier: any BusMember] = [:]
    var isClosed = false
    var hasReportedUnsent = false
    /// Why there is no link, once that is known.
    var outage: ConnectionError?
    /// What the connections that are over have done.
    var formerConnections = ConnectionMetrics()
  }

  let options: ConnectionOptions
  let echo: Bool
  let cacheLimits: QueueSize
  let scheduler: any Scheduler
  let states = Subject<ConnectionState>(replay: 1)
  let problems = Subject<Problem>()
  let counters = BusCounters()
  let state: Lock<State>
  private let linger: Duration

  init(
    _ options: ConnectionOptions, linger: Duration, echo: Bool, cacheLimits: QueueSize,
    _ scheduler: any Scheduler
  ) throws(ConnectionError) {
    var options = options
    // What an earlier program subscribed nobody here knows of.
    options.cleanStart = true
    self.options = options
    self.linger = linger
    self.echo = echo
    self.cacheLimits = cacheLimits
    self.scheduler = scheduler
    let connection = try Connection(options)
    state = Lock(State(table: SubscriptionTable(linger: linger)))
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
      note(state)
      if case .closed(let cause) = state { lost(connection, cause) }
      states.send(state)
    }
  }

  private func note(_ connectionState: ConnectionState) {
    state.withLock { state in
      switch connectionState {
      case .waiting(_, let cause), .closed(let cause?): state.outage = cause
      case .connected: state.outage = nil
      case .idle, .connecting, .closed(nil): break
      }
    }
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// The connection is closed for good, by us or by a refusal.
  private func lost(_ connection: Connection, _ cause: ConnectionError?) {
    let metrics = connection.metrics
    let (upstreams, waiting, link) = state.withLock { state -> ([Upstream], Waiting?, BusLink?) in
      guard state.link?.connection === connection else { return ([], nil, nil) }
      state.formerConnections.add(metrics)
      _ = state.table.linkClosed(byBroker: false)
      state.table.sessionEnded()
      state.session = nil
      let (upstreams, waiting) = state.unwantAll()
      return (upstreams, waiting, state.link.take())
    }
    // The last references are let go of outside the lock.
    _ = consume link
    _ = consume waiting
    guard let cause else { return }
    for upstream in upstreams { upstream.subject.fail(BusError.refused(cause)) }
  }

  // MARK: Observers

  func attach(
    _ observer: Observer<Message>, _ filter: TopicFilter, _ qos: QoS, _ late: LatePolicy
  ) -> (any Disposable)? {
    let qos = granted(qos, filter)
    let (seat, refilled, isDue, error) = state.withLock {
      state -> (Seat?, RefilledObserver?, Bool, BusError?) in
      if state.isClosed { return (nil, nil, false, .closed) }
      if let error = refusal(state.session) { return (nil, nil, false, error) }
      let upstream = state.table.join(filter, qos) { identifier in
        let upstream = Upstream(filter, identifier, cacheLimits: cacheLimits)
        if filter.sharedGroup == nil { state.routes?[filter] = upstream }
        return upstream
      }
      // Its cache can't give a newcomer all that it shall have.
      let refilled = late != .none && upstream.cache.isOverfull ? RefilledObserver(observer) : nil
      let downstream = refilled ?? observer
      let target = late == .retained ? downstream : LateObserver(late, downstream)
      let seat = Seat(upstream, qos, self, target)
      if qos > .atMostOnce, state.table[filter]?.isRaised(by: qos) == true { state.waiting.raise(seat) }
      return (seat, refilled, state.table.isPlanDue, nil)
    }
    guard let seat else {
      observer.fail(error ?? .closed)
      return nil
    }
    if late == .latest { seat.upstream.cache.keepLatest() }
    seat.attach()
    if case .failure(let error) = connection { fail(seat.upstream, .refused(error)) }
    if isDue { replan() }
    if let refilled { fetch(RetainedFetch.Order(filter: filter, observer: refilled)) }
    return seat
  }

  /// QoS 2 is subscribed as 1: see `Subscribe.qos`.
  private func granted(_ qos: QoS, _ filter: TopicFilter) -> QoS {
    guard qos == .exactlyOnce else { return qos }
    problems.send(
      Problem(filter.name, "subscribed at QoS 1: at QoS 2 messages would be lost over a broken link"))
    return .atLeastOnce
  }

  private func fetch(_ order: RetainedFetch.Order) {
    counters.refetches.add(1, ordering: .relaxed)
    let known = state.withLock { $0.fetch }
    if let known { return known.fetch(order) }
    let fresh = RetainedFetch(options, scheduler, problems)
    let installed = state.withLock { state in
      let installed = state.fetch ?? fresh
      state.fetch = installed
      return installed
    }
    if installed === fresh, !add(fresh) { return }
    installed.fetch(order)
  }

  /// Why nothing can be subscribed on a link.
  func refusal(_ session: Session?) -> BusError? {
    guard !echo, let session, session.version == .v311 else { return nil }
    return .needsMQTT5("a bus without echo")
  }

  func leave(_ seat: Seat) {
    let upstream = seat.upstream
    // Most are not the last: what time it is makes no difference to them.
    let (othersStay, mine) = state.withLock { state in
      (state.table.leaveToOthers(upstream.filter, upstream.identifier), state.waiting.leave(seat))
    }
    withExtendedLifetime(mine) {}
    if othersStay { return }
    let now = linger > .zero ? scheduler.now : .zero
    let (gone, others, lingersUntil) = state.withLock { state in
      let gone = state.table.leave(upstream.filter, upstream.identifier, now: now)
      return (gone, gone.map { state.forget($0) }, state.armLinger())
    }
    withExtendedLifetime((gone, others)) {}
    if let lingersUntil { armLinger(lingersUntil - now) }
    replan()
  }

  private func armLinger(_ delay: Duration) {
    scheduler.schedule(after: delay) { [weak self] in self?.lingered() }
  }

  private func lingered() {
    let now = scheduler.now
    let (gone, waiting, next) = state.withLock { state in
      state.lingerTimer = nil
      let gone = state.table.lingered(now: now)
      return (gone, gone.map { state.forget($0) }, state.armLinger())
    }
    withExtendedLifetime((gone, waiting)) {}
    if let next { armLinger(next - now) }
    replan()
  }

  /// Calls `action` when the upstream of `seat` serves it: at once, or on the connection's thread. What never will ends
  /// the subscription.
  func whenReady(_ seat: Seat, _ action: @escaping @Sendable () -> Void) {
    let (upstream, qos) = (seat.upstream, seat.qos)
    let isReady = state.withLock { state in
      guard let entry = state.table[upstream.filter], entry.identifier == upstream.identifier,
        entry.wanted != nil
      else { return false }
      if let asked = entry.asked, asked >= qos { return true }
      if state.table.cover(of: upstream.filter, entry).isCovered { return true }
      state.waiting.wait(seat, action)
      return false
    }
    if isReady { return action() }
    guard seat.isDisposed else { return }
    // It was left meanwhile.
    let gone = state.withLock { $0.waiting.leave(seat) }
    withExtendedLifetime(gone) {}
  }

  /// Nobody can be served by `upstream`.
  private func fail(_ upstream: Upstream, _ error: BusError) {
    let (gone, waiting) = state.withLock { state -> (Upstream?, Waiting.Gone?) in
      guard state.table[upstream.filter]?.identifier == upstream.identifier else { return (nil, nil) }
      let gone = state.table.unwant(upstream.filter)
      return (gone, gone.map { state.forget($0) })
    }
    _ = consume waiting
    gone?.subject.fail(error)
  }

  /// Has the owner of the loop look at what is wanted, if that has changed.
  private func replan() {
    let link = state.withLock { state -> BusLink? in
      guard state.table.isPlanDue, !state.isPlanPosted else { return nil }
      state.isPlanPosted = true
      return state.link
    }
    link?.connection.replan()
  }

  // MARK: Closing

  /// `false` when the bus is closed already.
  func add(_ member: any BusMember) -> Bool {
    state.withLock { state in
      if !state.isClosed { state.members[ObjectIdentifier(member)] = member }
      return !state.isClosed
    }
  }

  func remove(_ member: any BusMember) {
    let removed = state.withLock { $0.members.removeValue(forKey: ObjectIdentifier(member)) }
    _ = consume removed
  }

  func close(deadline: Duration) async {
    let (upstreams, waiting, members, connection) = state.withLock { state in
      state.isClosed = true
      let (upstreams, waiting) = state.unwantAll()
      return (upstreams, waiting, Array(state.members.values), state.link?.connection)
    }
    _ = consume waiting
    // First the jobs: one that is fed by a signal of this bus would take its completion for the end of the work.
    for member in members { member.end() }
    for upstream in upstreams { upstream.subject.complete() }
    await withTaskGroup(of: Void.self) { group in
      for member in members { group.addTask { await member.close(deadline: deadline) } }
      if let connection { group.addTask { await connection.close(deadline: deadline) } }
    }
    reportUnsent()
    states.complete()
    problems.complete()
  }
}

extension BusCore.State {
  /// Nobody is served any more. Gives all upstreams, and who waited for them.
  mutating func unwantAll() -> ([Upstream], BusCore.Waiting) {
    routes = nil
    defer { waiting = BusCore.Waiting() }
    return (table.unwantAll(), waiting)
  }

  /// `upstream` is no longer wanted. Gives what is to be let go of outside of the lock.
  mutating func forget(_ upstream: Upstream) -> BusCore.Waiting.Gone {
    if upstream.filter.sharedGroup == nil { routes?[upstream.filter] = nil }
    return waiting.remove(upstream.identifier)
  }

  /// When a timer has to end the next linger; nil when there is one.
  fileprivate mutating func armLinger() -> Duration? {
    guard let deadline = table.lingerDeadline, lingerTimer.map({ deadline < $0 }) ?? true else { return nil }
    lingerTimer = deadline
    return deadline
  }
}

/// What a bus closes together with itself.
protocol BusMember: AnyObject, Sendable {
  /// Ends it, if it has not ended.
  func end()
  /// Ends it, and waits for what it still has to send.
  func close(deadline: Duration) async
}
