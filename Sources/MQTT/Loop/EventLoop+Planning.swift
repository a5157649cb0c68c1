/// What the planner of the layer above is asked, and what is done of it.
extension EventLoop {
  func plan(_ ask: (any LinkPlanner) -> LinkWork) {
    guard let planner = planner.value else { return }
    let work = ask(planner)
    planDue = work.deadline
    for call in work.deliveries { deliveries.append(.call(call)) }
    for call in work.reports { reports.append(.call(call)) }
    if !work.unsubscribes.isEmpty {
      carryOut(.unsubscribe(work.unsubscribes, .plannedEnd(work.unsubscribes)))
    }
    guard !work.subscribes.isEmpty, let session else { return }
    // A request for each packet: each answer is told when it comes.
    let packets = SubscribePackets(work.subscribes, for: session)
    for packet in packets.packets { carryOut(.subscribe(packet.subscribes, .planned(packet.subscribes))) }
    for (place, code) in packets.refusals {
      self.plan { $0.subscribed([work.subscribes[place]], .success([.refused(code)])) }
    }
  }
}

/// A planner that the connection does not keep alive.
struct WeakPlanner: Sendable {
  weak var value: (any LinkPlanner)?
}
