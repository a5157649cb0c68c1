import Brokers
import MQTT
import Peers
import Testing

/// Every property of a message on its way from and to foreign clients.
@Suite(.timeLimit(.minutes(3)))
struct PropertyTests {
  private static let versions: [ProtocolVersion] = [.v5, .v311]

  private func everything() throws -> MessageProperties {
    MessageProperties(
      contentType: "text/plain; ä", expiry: .milliseconds(98_001), responseTopic: try Topic("answers/1"),
      correlationData: Array("question 7".utf8), isText: true,
      userProperties: [.init("k", "v"), .init("k", "w"), .init("", "")])
  }

  @Test(
    "Every property reaches a foreign subscriber at each QoS, and none goes out in MQTT 3.1.1",
    arguments: versions, QoS.allCases)
  func out(_ version: ProtocolVersion, _ qos: QoS) async throws {
    try await LocalBroker.with { broker in
      let format = "%C|%R|%D|%F|%P|%E|%p"
      let peer = try await Peer.subscribe(broker, "-V", "5", "-t", "t", "-q", "2", "-F", format)
      try await withConnection(ConnectionOptions(broker, version)) { connection, _ in
        try await connection.publish(Publish(Topic("t"), "x", qos: qos, properties: everything()))
        let line = try await peer.lines { $0.count == 1 }[0]
        // The broker may have had it for a second.
        let expected = ["99", "98"].map { "text/plain; ä|answers/1|question 7|1|k:v k:w :|\($0)|x" }
        if version == .v5 {
          #expect(expected.contains(line))
        } else {
          #expect(line == "|||||||x".dropFirst())
        }
      }
    }
  }

  @Test("Every property of a foreign publisher arrives, and none in MQTT 3.1.1", arguments: versions)
  func into(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker, version)) { connection, recorder in
        _ = try await connection.subscribe([Subscribe(TopicFilter("t"), identifier: 7)])
        try await Peer.publish(
          broker, "-V", "5", "-t", "t", "-m", "x", "-q", "1", "-D", "PUBLISH", "content-type",
          "text/plain; ä",
          "-D", "PUBLISH", "response-topic", "answers/1", "-D", "PUBLISH", "correlation-data", "question 7",
          "-D", "PUBLISH", "payload-format-indicator", "1", "-D", "PUBLISH", "message-expiry-interval", "99",
          "-D", "PUBLISH", "user-property", "k", "v", "-D", "PUBLISH", "user-property", "k", "w")
        try await eventually("nothing arrived") { recorder.count == 1 }
        let message = recorder.history.messages[0]
        guard version == .v5 else { return #expect(message.properties.isEmpty) }
        var expected = try everything()
        expected.userProperties = [.init("k", "v"), .init("k", "w")]
        expected.expiry = message.properties.expiry
        #expect(message.properties == expected)
        #expect(message.properties.expiry.map { (.seconds(90) ... .seconds(99)).contains($0) } == true)
        #expect(Array(message.subscriptionIdentifiers) == [7])
      }
    }
  }

  @Test("What came with properties can be published again, with all of them")
  func forwarded() async throws {
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker)) { connection, recorder in
        _ = try await connection.subscribe([Subscribe(TopicFilter("#"))])
        var sent = try everything()
        sent.correlationData = []
        try await connection.publish(Publish(Topic("first"), "x", properties: sent))
        try await eventually("nothing arrived") { recorder.count == 1 }
        let received = recorder.history.messages[0].properties
        #expect(received.correlationData == [])
        try await connection.publish(Publish(Topic("second"), "x", properties: received))
        try await eventually("nothing arrived") { recorder.count == 2 }
        var again = recorder.history.messages[1].properties
        again.expiry = received.expiry
        #expect(again == received)
      }
    }
  }

  @Test("The longest properties that are allowed arrive whole")
  func longest() async throws {
    let long = String(repeating: "ä", count: 32_767) + "x"
    let properties = MessageProperties(
      contentType: long, correlationData: [UInt8](repeating: 0, count: 65_535),
      userProperties: [.init(long, long)])
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker)) { connection, recorder in
        _ = try await connection.subscribe([Subscribe(TopicFilter("t"))])
        try await connection.publish(Publish(Topic("t"), "x", properties: properties))
        try await eventually("nothing arrived") { recorder.count == 1 }
        #expect(recorder.history.messages[0].properties == properties)
      }
    }
  }

  @Test("A message with bad properties fails alone: the connection and what else is sent go on")
  func badProperties() async throws {
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker)) { connection, recorder in
        let topic = try Topic("t")
        for bad in [
          MessageProperties(contentType: "a\0b"), .init(userProperties: [.init("k", "\u{1}")]),
          .init(correlationData: [UInt8](repeating: 0, count: 65_536)), .init(expiry: .zero),
        ] {
          let error = await #expect(throws: ConnectionError.self) {
            try await connection.publish(Publish(topic, "x", properties: bad))
          }
          if case .invalid(let text) = error {
            #expect(text.contains("\"t\""))
          } else {
            Issue.record("\(error)")
          }
        }
        try await connection.publish(Publish(topic, "x", properties: .init(contentType: "")))
        #expect(recorder.history.causes.isEmpty)
      }
    }
  }

  @Test(
    "A response topic that can't be published to, and other oddities of a broker, break nothing",
    arguments: [
      ([0x08, 0, 3] + Array("a/+".utf8), .init()), ([0x08, 0, 0], .init()),
      ([0x03, 0, 0], .init(contentType: "")), ([0x01, 7], .init()),
      ([0x02, 0, 0, 0, 0], .init(expiry: .zero)),
      ([0x26, 0, 0, 0, 0], .init(userProperties: [.init("", "")])),
      ([0x09, 0, 0], .init(correlationData: [])),
      ([0x0B, 1], .init()),
    ] as [([UInt8], MessageProperties)])
  func oddProperties(_ bytes: [UInt8], _ expected: MessageProperties) async throws {
    let server = try ScriptedBroker { link in
      try link.accept()
      try link.send(
        bytes: [0x30, UInt8(bytes.count + 5), 0, 1, 0x74, UInt8(bytes.count)] + bytes + [0x78])
      try link.serve()
    }
    try await withConnection(ConnectionOptions(server)) { _, recorder in
      try await eventually("nothing arrived") { recorder.count == 1 || !recorder.history.causes.isEmpty }
      #expect(recorder.history.causes.isEmpty)
      let message = try #require(recorder.history.messages.first)
      #expect(message.properties == expected && message.payload == [0x78])
      #expect(Array(message.subscriptionIdentifiers) == (bytes[0] == 0x0B ? [1] : []))
    }
  }
}
