import MQTT
import Signals

/// What the owner of the connection's loop is told to do: the difference of what is wanted and what the broker has.
extension BusCore {
  func linkOpened(_ session: Session, _ link: BusLink) -> LinkWork {
    work(for: link) { state, work in
      // What was posted to an earlier link is not answered any more.
      state.isPlanPosted = false
      var session = session
      if state.avoidsIdentifiers { session.hasSubscriptionIdentifiers = false }
      state.session = session
      let hasIdentifiers = session.version == .v5 && session.hasSubscriptionIdentifiers
      state.table.linkOpened(sessionPresent: session.isPresent, covers: !hasIdentifiers)
      guard let error = refusal(session) else { return }
      let (upstreams, waiting) = state.unwantAll()
      work.deliveries.append { [waiting] in
        for upstream in upstreams { upstream.subject.fail(error) }
        _ = waiting
      }
    }
  }

  func linkClosed(_ end: LinkEnd, _ link: BusLink) -> LinkWork {
    work(for: link) { state, work in
      state.session = nil
      if end == .byIdentifiers { state.avoidsIdentifiers = true }
      for (filter, upstream) in state.table.linkClosed(byBroker: end == .byBroker) {
        state.fail(upstream, .subscriptionEndsLink(filter), &work)
      }
      state.waiting.sent = [:]
    }
  }

  func plan(_ link: BusLink) -> LinkWork {
    work(for: link) { state, _ in state.isPlanPosted = false }
  }

  func subscribed(
    _ subscribes: [Subscribe], _ answer: Result<[SubscribeResult], ConnectionError>, _ link: BusLink
  ) -> LinkWork {
    let now = ContinuousClock.now
    return work(for: link, at: now) { state, work in
      for (index, subscribe) in subscribes.enumerated() {
        let filter = subscribe.filter
        let sent = state.waiting.sent.removeValue(forKey: filter)
        switch answer {
        case .success(let results):
          if let sent { counters.subscribed(after: sent.duration(to: now)) }
          switch results[index] {
          case .granted(let qos): state.granted(filter, qos, now, &work)
          case .refused(let code): state.refused(filter, .subscriptionRefused(filter, code), &work)
          }
        // Not connected: it was not sent, and so can't be what ends the link.
        case .failure(.timedOut), .failure(.notConnected):
          state.table.unanswered(filter)
        case .failure(let error):
          switch error {
          case .invalid, .badAnswer: state.refused(filter, .refused(error), &work)
          // The link is gone, which is told in its own words.
          default: break
          }
        }
      }
      // After a reconnect there were many: their place is not kept.
      if state.waiting.sent.isEmpty { state.waiting.sent = [:] }
    }
  }

  func unsubscribed(
    _ filters: [TopicFilter], _ answer: Result<Void, ConnectionError>, _ link: BusLink
  ) -> LinkWork {
    work(for: link) { state, _ in
      for filter in filters {
        switch answer {
        case .success: state.table.unsubscribed(filter)
        case .failure(.timedOut), .failure(.notConnected), .failure(.badAnswer), .failure(.invalid):
          state.table.unanswered(filter)
        case .failure: break
        }
      }
    }
  }

  /// Changes the state, and then gives what is to be done, after what the change wants to be done.
  private func work(
    for link: BusLink, at now: ContinuousClock.Instant = .now,
    _ change: (inout State, inout LinkWork) -> Void
  ) -> LinkWork {
    var work = LinkWork()
    let kept = state.withLock { state -> [Upstream] in
      guard state.link === link else { return [] }
      change(&state, &work)
      return plan(&state, at: now, &work)
    }
    _ = consume kept
    return work
  }

  private func plan(
    _ state: inout State, at now: ContinuousClock.Instant, _ work: inout LinkWork
  ) -> [Upstream] {
    let plan = state.table.plan(at: now)
    work.deadline = state.table.deadline
    guard let session = state.session else { return [] }
    for action in plan.actions {
      switch action {
      case .subscribe(let filter, let qos, let identifier, let replay):
        state.waiting.sent[filter] = now
        guard let upstream = state.table[filter]?.owner else { continue }
        work.subscribes.append(subscribe(upstream, qos, identifier, replay, session))
      case .unsubscribe(let filter):
        work.unsubscribes.append(filter)
      }
    }
    for (owner, wider) in plan.covered {
      work.deliveries.append { owner.fill(from: wider) }
      state.serve(owner.identifier, .exactlyOnce, &work)
    }
    for (filter, other, owner) in plan.conflicts {
      state.fail(owner, .overlapsShared(filter, other), &work)
    }
    return plan.conflicts.map(\.owner)
  }

  private func subscribe(
    _ upstream: Upstream, _ qos: QoS, _ identifier: UInt32, _ replay: SubscriptionTable<Upstream>.Replay,
    _ session: Session
  ) -> Subscribe {
    let filter = upstream.filter
    let handling: Subscribe.RetainHandling =
      switch replay {
      case _ where filter.sharedGroup != nil: .never
      case .all: .always
      case .ifNew: .whenNew
      case .nothing: .never
      }
    return Subscribe(
      filter, qos: qos, identifier: session.hasSubscriptionIdentifiers ? identifier : nil,
      noLocal: !echo && filter.sharedGroup == nil && !JobTopic.isReserved(filter.name),
      retainAsPublished: upstream.keepsRetainFlag(session.version), retainHandling: handling)
  }
}

extension BusCore.State {
  fileprivate mutating func granted(
    _ filter: TopicFilter, _ qos: QoS, _ now: ContinuousClock.Instant, _ work: inout LinkWork
  ) {
    // For a raise nothing is sent again, or what is is not news.
    let isRaise = table[filter]?.asked != nil
    table.granted(filter, qos)
    guard let entry = table[filter], let asked = entry.asked, let upstream = entry.owner, let session else {
      return
    }
    if !isRaise { upstream.cache.didSubscribe(session.number.value, at: Arrival(now)) }
    serve(entry.identifier, asked, &work)
  }

  fileprivate mutating func serve(_ identifier: UInt32, _ qos: QoS, _ work: inout LinkWork) {
    let (actions, seats) = waiting.granted(identifier, qos)
    work.reports += actions
    // Let go of out there.
    if !seats.isEmpty { work.reports.append { _ = seats } }
  }

  fileprivate mutating func refused(_ filter: TopicFilter, _ error: BusError, _ work: inout LinkWork) {
    switch table.refused(filter) {
    case .nobody: break
    case .all(let upstream): fail(upstream, error, &work)
    case .above(let qos, let upstream):
      let (actions, seats) = waiting.refused(upstream.identifier, above: qos)
      work.deliveries.append { [actions] in
        for seat in seats { seat.fail(error) }
        _ = actions
      }
    }
  }

  /// All who are served by `upstream` hear that they no longer are.
  fileprivate mutating func fail(_ upstream: Upstream, _ error: BusError, _ work: inout LinkWork) {
    let gone = forget(upstream)
    work.deliveries.append {
      upstream.subject.fail(error)
      _ = gone
    }
  }
}
