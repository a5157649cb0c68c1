/// Which filters travel together in a SUBSCRIBE, and which not at all.
///
/// libmosquitto sends one QoS and one set of options for all filters of a packet, and an identifier holds for all
/// of them (MQTT 5, 3.8.2.1.2), so filters share a packet only when all of that is the same. What the broker said
/// that it does not take is refused here with the code that the broker would send: some drop the connection
/// instead (MQTT 5, 3.2.2.3.11 to 13).
struct SubscribePackets {
  struct Packet: Equatable {
    var subscribes: [Subscribe]
    /// The places of these filters in the request.
    var places: [Int]
    /// The bytes of it that follow its length.
    fileprivate var remaining: Int
  }

  private struct Options: Hashable {
    var qos: QoS
    var noLocal: Bool
    var retainAsPublished: Bool
    var retainHandling: Subscribe.RetainHandling
  }

  private(set) var packets: [Packet] = []
  private(set) var refusals: [(place: Int, code: ReasonCode)] = []
  /// The packets that take more filters.
  private var open: [Options: Int] = [:]

  init(_ subscribes: [Subscribe], for session: Session) {
    for (place, wanted) in subscribes.enumerated() {
      let subscribe = wanted.reduced(to: session)
      if let code = session.refusal(of: subscribe) {
        refusals.append((place, code))
      } else {
        add(subscribe, place, session)
      }
    }
  }

  private mutating func add(_ subscribe: Subscribe, _ place: Int, _ session: Session) {
    let options = Options(
      qos: subscribe.qos, noLocal: subscribe.noLocal, retainAsPublished: subscribe.retainAsPublished,
      retainHandling: subscribe.retainHandling)
    if subscribe.identifier == nil, let index = open[options] {
      let remaining = packets[index].remaining + subscribe.size
      if session.takes(remaining: remaining) {
        packets[index].subscribes.append(subscribe)
        packets[index].places.append(place)
        packets[index].remaining = remaining
        return
      }
    }
    if subscribe.identifier == nil { open[options] = packets.count }
    packets.append(
      Packet(subscribes: [subscribe], places: [place], remaining: subscribe.remaining(session.version)))
  }
}

/// Which filters travel together in an UNSUBSCRIBE: as many as one packet holds.
enum UnsubscribePackets {
  /// Throws when a filter does not even fit alone.
  static func split(
    _ filters: [TopicFilter], for session: Session
  ) throws(ConnectionError) -> [[TopicFilter]] {
    // The id, and the length of no properties.
    let empty = session.version == .v5 ? 3 : 2
    var packets: [[TopicFilter]] = []
    var remaining = 0
    for filter in filters {
      let size = 2 + filter.name.utf8.count
      guard session.takes(remaining: empty + size) else {
        throw .invalid("the broker takes no packet as large as the end of \"\(filter)\" needs")
      }
      if packets.isEmpty || !session.takes(remaining: remaining + size) {
        packets.append([])
        remaining = empty
      }
      packets[packets.count - 1].append(filter)
      remaining += size
    }
    return packets
  }
}

extension Session {
  fileprivate func takes(remaining: Int) -> Bool {
    remaining <= PacketSize.maximumRemaining
      && PacketSize.whole(remaining: remaining) <= maximumPacketSize ?? PacketSize.maximum
  }

  fileprivate func refusal(of subscribe: Subscribe) -> ReasonCode? {
    if !hasSharedSubscriptions, subscribe.filter.sharedGroup != nil {
      return .sharedSubscriptionsNotSupported
    }
    if !hasWildcards, subscribe.filter.hasWildcards { return .wildcardSubscriptionsNotSupported }
    return takes(remaining: subscribe.remaining(version)) ? nil : .packetTooLarge
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

  /// Its bytes in a packet: length, filter and options.
  fileprivate var size: Int { 3 + filter.name.utf8.count }

  /// The bytes after the length of a packet that holds it alone: id, properties, filter.
  fileprivate func remaining(_ version: ProtocolVersion) -> Int {
    guard version == .v5 else { return 2 + size }
    return 3 + (identifier.map { 1 + PacketSize.variable(Int($0)) } ?? 0) + size
  }
}
