import Brokers
import MQTT
import Peers
import Testing

/// What a broker says in CONNACK that it does not take. Nothing of it is sent, the caller is told, and the link holds.
@Suite(.timeLimit(.minutes(3)))
struct MaximumTests {
  @Test("A message above the broker's highest QoS is refused here", arguments: [0, 1])
  func maximumQoS(_ maximum: UInt8) async throws {
    try await heldLink(.v5, properties: [.maximumQoS(maximum)]) { link in
      for qos in 0...maximum {
        let publish = try link.expectPublish(to: "t", "\(qos)", qos: qos)
        if qos == 1 { try link.send(.puback(publish.id)) }
      }
    } _: { connection, recorder in
      #expect(recorder.history.sessions[0].maximumQoS == QoS(rawValue: Int(maximum)))
      let topic = try Topic("t")
      for qos in QoS.allCases {
        let publish = Publish(topic, "\(qos.rawValue)", qos: qos)
        guard qos.rawValue > maximum else {
          try await connection.publish(publish)
          continue
        }
        await #expect(throws: ConnectionError.publishRefused(topic, .qosNotSupported)) {
          try await connection.publish(publish)
        }
      }
    }
  }

  @Test("A broker that keeps no messages is not asked to: the publish is refused, not made a fleeting one")
  func retain() async throws {
    try await heldLink(.v5, properties: [.retainAvailable(false)]) { link in
      let publish = try link.expectPublish(to: "t", "fleeting", qos: 1)
      guard !publish.retain else { throw Surprise("retained") }
      try link.send(.puback(publish.id))
    } _: { connection, recorder in
      #expect(!recorder.history.sessions[0].isRetainAvailable)
      let topic = try Topic("t")
      await #expect(throws: ConnectionError.publishRefused(topic, .retainNotSupported)) {
        try await connection.publish(Publish(topic, "kept", retain: true))
      }
      try await connection.publish(Publish(topic, "fleeting"))
    }
  }

  @Test(
    "A packet of the broker's largest size is sent, and one with a byte more is not",
    arguments: [20, 129, 131, 200])
  func packetSize(_ maximum: Int) async throws {
    // Type and length, topic, no properties; and an id.
    let beside = (maximum > 129 ? 3 : 2) + 3 + 1
    try await heldLink(.v5, properties: [.maximumPacketSize(UInt32(maximum))]) { link in
      let zero = try link.expectPublish(to: "t", qos: 0)
      guard try link.bytes([.publish(zero)]).count == maximum else { throw Surprise("\(zero)") }
      let one = try link.expectPublish(to: "t", qos: 1)
      guard try link.bytes([.publish(one)]).count == maximum else { throw Surprise("\(one)") }
      try link.send(.puback(one.id))
      let subscribe = try link.expectSubscribe()
      guard try link.bytes([.subscribe(subscribe)]).count == maximum else { throw Surprise("\(subscribe)") }
      try link.send(.suback(subscribe.id, [.granted(1)]))
    } _: { connection, recorder in
      #expect(recorder.history.sessions[0].maximumPacketSize == maximum)
      let topic = try Topic("t")
      for (qos, beside) in [(QoS.atMostOnce, beside), (.atLeastOnce, beside + 2)] {
        let payload = [UInt8](repeating: 0x61, count: maximum - beside)
        try await connection.publish(Publish(topic, payload, qos: qos))
        await #expect(throws: ConnectionError.publishRefused(topic, .packetTooLarge)) {
          try await connection.publish(Publish(topic, payload + [0x61], qos: qos))
        }
      }
      // Id, no properties, length and options of the filter.
      let name = String(repeating: "f", count: maximum - (maximum > 129 ? 3 : 2) - 6)
      let results = try await connection.subscribe([
        Subscribe(TopicFilter(name)), Subscribe(TopicFilter(name + "f")),
      ])
      #expect(results == [.granted(.atLeastOnce), .refused(.packetTooLarge)])
    }
  }

  @Test("Limits that a broker announced don't stick to the next connect")
  func forgotten() async throws {
    let broker = try ScriptedBroker { link in
      guard link.number == 0 else {
        try link.accept()
        return try link.serve()
      }
      try link.accept(properties: [
        .maximumQoS(0), .retainAvailable(false), .maximumPacketSize(20), .receiveMaximum(1),
        .serverKeepAlive(7),
      ])
    }
    try await withConnection(ConnectionOptions(broker)) { connection, recorder in
      try await eventually("not back") { recorder.history.sessions.count == 2 }
      let session = recorder.history.sessions[1]
      #expect(
        session.maximumQoS == .exactlyOnce && session.isRetainAvailable && session.keepAlive == .seconds(60))
      #expect(session.maximumPacketSize == nil && session.receiveMaximum == 65_535)
      let payload = [UInt8](repeating: 0, count: 1_000)
      try await connection.publish(Publish(Topic("t"), payload, qos: .exactlyOnce, retain: true))
    }
    try await broker.finish(links: 2)
  }

  @Test("What waited for a broker that does not take it is refused when it comes, and the rest goes out")
  func waiting() async throws {
    let broker = try ScriptedBroker { link in
      try link.expectConnect()
      try link.expectNothing(for: .milliseconds(100))
      try link.accept(properties: [.maximumQoS(1), .retainAvailable(false), .maximumPacketSize(100)])
      try link.serve()
    }
    let connection = try Connection(ConnectionOptions(broker))
    let results = Collector<String>()
    func publish(_ name: String, _ publish: Publish) {
      connection.publish(publish) { results.add("\(name) \($0)") }
    }
    let topic = try Topic("t")
    publish("1", Publish(topic, "x", qos: .exactlyOnce))
    publish("2", Publish(topic, "x"))
    publish("3", Publish(topic, "x", retain: true))
    publish("4", Publish(topic, [UInt8](repeating: 0, count: 100)))
    publish("5", Publish(topic, "x"))
    connection.connect()
    try await eventually("it hangs") { results.count == 5 }
    let sent = PublishResult.acknowledged(.success)
    #expect(
      Set(results.values) == [
        "1 \(PublishResult.refused(.qosNotSupported))", "2 \(sent)",
        "3 \(PublishResult.refused(.retainNotSupported))",
        "4 \(PublishResult.refused(.packetTooLarge))", "5 \(sent)",
      ])
    await connection.close()
    try await broker.finish()
    #expect(broker.linkCount == 1)
  }
}
