import Testing

@testable import MQTT

struct SubscribePacketsTests {
  private func session(_ version: ProtocolVersion) -> Session {
    var session = Session()
    session.version = version
    return session
  }

  @Test("In MQTT 3.1.1 filters of one QoS share a packet")
  func grouped() throws {
    let subscribes = [
      Subscribe(try TopicFilter("a"), qos: .atLeastOnce, identifier: 1),
      Subscribe(try TopicFilter("b"), qos: .atMostOnce, noLocal: true),
      Subscribe(try TopicFilter("c"), qos: .exactlyOnce, identifier: 3),
    ]
    let packets = SubscribePackets.split(subscribes, for: session(.v311))
    #expect(packets.map(\.places) == [[0, 2], [1]])
    #expect(packets[0].subscribes.allSatisfy { $0.identifier == nil && $0.qos == .atLeastOnce })
  }

  @Test("In MQTT 5 each filter with an identifier has a packet of its own")
  func identified() throws {
    let subscribes = [
      Subscribe(try TopicFilter("a"), identifier: 1), Subscribe(try TopicFilter("b"), identifier: 2),
      Subscribe(try TopicFilter("c")), Subscribe(try TopicFilter("d")),
      Subscribe(try TopicFilter("e"), retainAsPublished: true),
    ]
    let packets = SubscribePackets.split(subscribes, for: session(.v5))
    #expect(packets.map(\.places) == [[0], [1], [2, 3], [4]])
    #expect(packets.map { $0.subscribes[0].identifier } == [1, 2, nil, nil])
  }
}
