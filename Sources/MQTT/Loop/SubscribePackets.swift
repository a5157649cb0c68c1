/// Which filters travel together in a SUBSCRIBE.
///
/// libmosquitto sends one QoS and one set of options for all filters of a packet, and an identifier holds for all
/// of them (MQTT 5, 3.8.2.1.2), so filters share a packet only when all of that is the same.
enum SubscribePackets {
  struct Packet: Equatable {
    var subscribes: [Subscribe]
    /// The places of these filters in the request.
    var places: [Int]
  }

  static func split(_ subscribes: [Subscribe], for session: Session) -> [Packet] {
    var packets: [Packet] = []
    for (place, wanted) in subscribes.enumerated() {
      let subscribe = wanted.reduced(to: session)
      let fitting = packets.firstIndex { $0.subscribes[0].travels(with: subscribe) }
      if let fitting {
        packets[fitting].subscribes.append(subscribe)
        packets[fitting].places.append(place)
      } else {
        packets.append(Packet(subscribes: [subscribe], places: [place]))
      }
    }
    return packets
  }
}

extension Subscribe {
  /// Leaves out what the broker does not know.
  fileprivate func reduced(to session: Session) -> Subscribe {
    if session.version == .v311 { return Subscribe(filter, qos: min(qos, .atLeastOnce)) }
    var reduced = self
    reduced.qos = min(qos, .atLeastOnce)
    if !session.hasSubscriptionIdentifiers { reduced.identifier = nil }
    return reduced
  }

  fileprivate func travels(with other: Subscribe) -> Bool {
    identifier == nil && other.identifier == nil && qos == other.qos && noLocal == other.noLocal
      && retainAsPublished == other.retainAsPublished && retainHandling == other.retainHandling
  }
}
