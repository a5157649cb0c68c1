import MQTT
import Signals
import Synchronization

/// Whose a message is. Called in the order of the messages, by whichever thread delivers.
extension BusCore {
  func didConnect(_ session: Session, _ link: BusLink) {
    state.withLock { state in
      guard state.link === link else { return }
      state.delivering = LinkFacts(
        number: session.number.value, version: session.version, isResumed: session.isPresent)
    }
  }

  func didReceive(_ message: Message, _ link: BusLink) {
    let (route, facts) = state.withLock { state -> (Route, LinkFacts) in
      guard state.link === link else { return (.none, state.delivering) }
      return (state.route(message), state.delivering)
    }
    switch route {
    case .none: counters.unrouted.add(1, ordering: .relaxed)
    case .one(let upstream): upstream.receive(message, facts)
    case .several(let upstreams):
      for upstream in upstreams { upstream.receive(message, facts) }
    }
  }

  fileprivate enum Route {
    case none
    /// Most messages.
    case one(Upstream)
    case several(ContiguousArray<Upstream>)
  }
}

extension BusCore.State {
  /// By identifier where there is one; a message without one, or with one that was never ours, is everybody's whose
  /// filter matches. For one with an identifier of ours that nobody has any more, the others have copies of their own.
  fileprivate mutating func route(_ message: Message) -> BusCore.Route {
    let identifiers = message.subscriptionIdentifiers
    if identifiers.count == 1 {
      if let owner = table.owner(of: identifiers[0]) { return .one(owner) }
      if table.isOurs(identifiers[0]) { return .none }
    } else if !identifiers.isEmpty {
      var upstreams: ContiguousArray<Upstream> = []
      for identifier in identifiers {
        guard let owner = table.owner(of: identifier), !upstreams.contains(where: { $0 === owner }) else {
          continue
        }
        upstreams.append(owner)
      }
      if !upstreams.isEmpty { return .several(upstreams) }
      if identifiers.contains(where: table.isOurs) { return .none }
    }
    return matching(message.topic)
  }

  private mutating func matching(_ topic: String) -> BusCore.Route {
    if routes == nil {
      routes = TopicRoutes()
      for upstream in table.allOwners where upstream.filter.sharedGroup == nil {
        routes![upstream.filter] = upstream
      }
    }
    var upstreams = routes!.routes(of: topic)
    if table.covers {
      for filter in table.shared where filter.matches(topic) {
        if let owner = table[filter]?.owner { upstreams.append(owner) }
      }
    }
    switch upstreams.count {
    case 0: return .none
    case 1: return .one(upstreams[0])
    default: return .several(upstreams)
    }
  }
}
