import Testing

@testable import MQTT

struct SubscribePacketsTests {
  private func session(_ version: ProtocolVersion = .v5, _ change: (inout Session) -> Void = { _ in })
    -> Session
  {
    var session = Session()
    session.version = version
    change(&session)
    return session
  }

  @Test("In MQTT 3.1.1 filters of one QoS share a packet")
  func grouped() throws {
    let subscribes = [
      Subscribe(try TopicFilter("a"), qos: .atLeastOnce, identifier: 1),
      Subscribe(try TopicFilter("b"), qos: .atMostOnce, noLocal: true),
      Subscribe(try TopicFilter("c"), qos: .exactlyOnce, identifier: 3),
    ]
    let packets = SubscribePackets(subscribes, for: session(.v311)).packets
    #expect(packets.map(\.places) == [[0, 2], [1]])
    #expect(packets[0].subscribes.allSatisfy { $0.identifier == nil && $0.qos == .atLeastOnce })
  }

  @Test("In MQTT 5 each filter with an identifier has a packet of its own")
  func identified() throws {
    let subscribes = [
      Subscribe(try TopicFilter("a"), identifier: 1), Subscribe(try TopicFilter("b"), identifier: 2),
      Subscribe(try TopicFilter("c")), Subscribe(try TopicFilter("d")),
      Subscribe(try TopicFilter("e"), retainAsPublished: true), Subscribe(try TopicFilter("f")),
    ]
    let packets = SubscribePackets(subscribes, for: session()).packets
    #expect(packets.map(\.places) == [[0], [1], [2, 3, 5], [4]])
    #expect(packets.map { $0.subscribes[0].identifier } == [1, 2, nil, nil])
  }

  @Test("What the broker announced that it does not take is refused by name, and the others are asked for")
  func limits() throws {
    let subscribes = [
      Subscribe(try TopicFilter("a/+"), identifier: 1), Subscribe(try TopicFilter("b"), identifier: 2),
      Subscribe(try TopicFilter("$share/g/c")),
    ]
    let limited = session {
      $0.hasWildcards = false
      $0.hasSharedSubscriptions = false
      $0.hasSubscriptionIdentifiers = false
    }
    let plan = SubscribePackets(subscribes, for: limited)
    #expect(plan.refusals.map(\.place) == [0, 2])
    #expect(
      plan.refusals.map(\.code) == [.wildcardSubscriptionsNotSupported, .sharedSubscriptionsNotSupported])
    #expect(plan.packets.map(\.places) == [[1]])
    #expect(plan.packets[0].subscribes[0].identifier == nil)
  }

  @Test("No packet is larger than the broker takes, to the byte", arguments: [ProtocolVersion.v5, .v311])
  func sizes(_ version: ProtocolVersion) throws {
    // Type, length, id, and in MQTT 5 the length of no properties; 3 bytes of each filter are not its name.
    let fixed = version == .v5 ? 5 : 4
    let limited = session(version) { $0.maximumPacketSize = fixed + 3 * 13 }
    let ten = try (0..<5).map { Subscribe(try TopicFilter("ten bytes \($0)".replacing(" ", with: ""))) }
    #expect(ten.allSatisfy { $0.filter.name.utf8.count == 9 })
    let long = Subscribe(try TopicFilter(String(repeating: "a", count: 37)))
    let longest = Subscribe(try TopicFilter(String(repeating: "a", count: 36)))
    let plan = SubscribePackets(ten + [long, longest], for: limited)
    #expect(plan.packets.map(\.places) == [[0, 1, 2], [3, 4], [6]])
    #expect(plan.refusals.map(\.place) == [5] && plan.refusals.map(\.code) == [.packetTooLarge])
  }

  @Test("An identifier counts in the size of its packet")
  func identifierSize() throws {
    let filter = try TopicFilter("abc")
    for (identifier, size) in [(nil, 11), (127, 13), (128, 14), (16_384, 15), (2_097_152, 16)]
      as [(UInt32?, Int)]
    {
      let subscribe = Subscribe(filter, identifier: identifier)
      let fits = SubscribePackets([subscribe], for: session { $0.maximumPacketSize = size })
      let isTooLarge = SubscribePackets([subscribe], for: session { $0.maximumPacketSize = size - 1 })
      #expect(fits.refusals.isEmpty && isTooLarge.packets.isEmpty, "\(String(describing: identifier))")
    }
  }

  @Test("As many filters as fit leave in one UNSUBSCRIBE, in order; one that never fits fails the call")
  func unsubscribes() throws {
    let filters = try (0..<5).map { try TopicFilter("f\($0)") }
    // Type, length, id, no properties, and three times two bytes of length and two of name.
    let limited = session { $0.maximumPacketSize = 5 + 3 * 4 }
    let packets = try UnsubscribePackets.split(filters, for: limited)
    #expect(packets == [Array(filters[..<3]), Array(filters[3...])])
    let long = try TopicFilter(String(repeating: "a", count: 11))
    #expect(throws: ConnectionError.self) { try UnsubscribePackets.split(filters + [long], for: limited) }
    #expect(try UnsubscribePackets.split(filters, for: session(.v311)) == [filters])
  }
}
