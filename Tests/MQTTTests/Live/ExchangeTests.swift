import Brokers
import Foundation
import MQTT
import Peers
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ExchangeTests {
  static let versions: [ProtocolVersion] = [.v5, .v311]

  @Test("What is published arrives, byte for byte, at QoS 0 and 1", arguments: versions)
  func roundTrip(_ version: ProtocolVersion) async throws {
    let payloads: [[UInt8]] = [[], [0, 255, 10, 13], Array("ä".utf8), [UInt8](repeating: 7, count: 300_000)]
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker, version)) { connection, recorder in
        #expect(recorder.history.sessions[0].version == version)
        let granted = try await connection.subscribe([
          Subscribe(try TopicFilter("a/+"), qos: .atLeastOnce),
          Subscribe(try TopicFilter("b/#"), qos: .atMostOnce),
        ])
        #expect(granted == [.granted(.atLeastOnce), .granted(.atMostOnce)])
        for payload in payloads {
          let result = try await connection.publish(Publish(Topic("a/x"), payload, qos: .atLeastOnce))
          #expect(result == .acknowledged(.success))
          try #expect(await connection.publish(Publish(Topic("b"), payload, qos: .atMostOnce)) == .sent)
        }
        try await eventually("messages are missing") { recorder.count == payloads.count * 2 }
        let messages = recorder.history.messages
        #expect(messages.filter { $0.topic == "a/x" }.map(\.payload) == payloads)
        #expect(messages.filter { $0.topic == "b" }.map(\.payload) == payloads)
        #expect(messages.allSatisfy { $0.qos == ($0.topic == "b" ? .atMostOnce : .atLeastOnce) })
      }
    }
  }

  @Test(
    "A retained message is there for who subscribes later, and an empty one clears it", arguments: versions)
  func retained(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker, version)) { connection, recorder in
        try await connection.publish(Publish(Topic("lamp"), "on", retain: true))
        try #expect(await connection.subscribe([Subscribe(TopicFilter("#"))]) == [.granted(.atLeastOnce)])
        try await eventually("no retained message") { recorder.texts == ["on"] }
        #expect(recorder.history.messages[0].isRetained)
        try await connection.publish(Publish(Topic("lamp"), "off"))
        try await eventually("no live message") { recorder.count == 2 }
        #expect(!recorder.history.messages[1].isRetained)
        try await connection.publish(Publish(Topic("lamp"), "", retain: true))
        try await connection.publish(Publish(Topic("marker"), "here", retain: true))
        // Retained messages of one filter come in no order, so the second look is over when a live one came.
        try await withConnection(ConnectionOptions(broker, version)) { later, recorder in
          _ = try await later.subscribe([Subscribe(TopicFilter("#"))])
          try await later.publish(Publish(Topic("live"), "now"))
          try await eventually("the marker is missing") { Set(recorder.texts) == ["here", "now"] }
        }
      }
    }
  }

  @Test("Identifiers and options of MQTT 5 subscriptions hold")
  func subscriptionOptions() async throws {
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker)) { connection, recorder in
        try await connection.publish(Publish(Topic("old"), "retained", retain: true))
        _ = try await connection.subscribe([
          Subscribe(TopicFilter("a/#"), identifier: 7),
          Subscribe(TopicFilter("a/+"), identifier: 268_435_455),
          Subscribe(TopicFilter("silent"), noLocal: true),
          Subscribe(TopicFilter("old"), retainHandling: .never),
          Subscribe(TopicFilter("kept"), retainAsPublished: true),
        ])
        try await connection.publish(Publish(Topic("silent"), "own"))
        try await connection.publish(Publish(Topic("kept"), "kept", retain: true))
        try await connection.publish(Publish(Topic("a/b"), "twice"))
        try await eventually("copies are missing") { recorder.texts.filter { $0 == "twice" }.count == 2 }
        let messages = recorder.history.messages
        #expect(
          Set(messages.filter { $0.topic == "a/b" }.map { Array($0.subscriptionIdentifiers) }) == [
            [7], [268_435_455],
          ])
        #expect(messages.first { $0.topic == "kept" }?.isRetained == true)
        #expect(!messages.contains { $0.topic == "silent" || $0.topic == "old" })
      }
    }
  }

  @Test("Properties reach a foreign subscriber, and are left out in MQTT 3.1.1", arguments: versions)
  func properties(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker, version)) { connection, _ in
        let properties = MessageProperties(
          contentType: "text/plain", expiry: .seconds(99),
          userProperties: [.init("k", "v"), .init("k", "w"), .init("", "")])
        try await connection.publish(Publish(Topic("t"), "x", retain: true, properties: properties))
        let (_, output) = try await runClient(
          "mosquitto_sub", broker, ["-V", "5", "-t", "t", "-C", "1", "-F", "%C|%E|%P|%p"])
        #expect(output.hasPrefix(version == .v5 ? "text/plain|" : "||"), "\(output)")
        #expect(output.contains("k:v k:w") == (version == .v5), "\(output)")
      }
    }
  }

  @Test("What foreign clients publish arrives, what we publish reaches them", arguments: versions)
  func foreignPeers(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker, version)) { connection, recorder in
        _ = try await connection.subscribe([Subscribe(TopicFilter("in/#"))])
        let (code, _) = try await runClient(
          "mosquitto_pub", broker, ["-t", "in/x", "-m", "hello", "-q", "1"])
        #expect(code == 0)
        try await eventually("nothing arrived") { recorder.texts == ["hello"] }
        try await connection.publish(Publish(Topic("out/y"), "world", retain: true))
        let (_, output) = try await runClient(
          "mosquitto_sub", broker, ["-t", "out/#", "-v", "-C", "1"])
        #expect(output == "out/y world\n")
      }
    }
  }

  @Test(
    "A refused subscription reaches the caller and leaves the others alone",
    .enabled(if: SubscribeRules.plugin != nil, "mosquitto's dynamic security plugin is not installed"),
    arguments: versions)
  func refusedSubscription(_ version: ProtocolVersion) async throws {
    let rules = try SubscribeRules(allowing: "open/#")
    defer { rules.remove() }
    try await LocalBroker.with(.init(configuration: rules.configuration)) { broker in
      try await withConnection(ConnectionOptions(broker, version)) { connection, recorder in
        let results = try await connection.subscribe([
          Subscribe(TopicFilter("open/#")), Subscribe(TopicFilter("secret/#")),
        ])
        #expect(
          results == [.granted(.atLeastOnce), .refused(version == .v5 ? .notAuthorized : .unspecified)])
        try await connection.publish(Publish(Topic("open/a"), "x"))
        try await eventually("the granted filter is deaf") { recorder.count == 1 }
      }
    }
  }

  @Test("A publish that the broker's rules deny is refused by name in MQTT 5")
  func refusedPublish() async throws {
    try await LocalBroker.with(.init(accessRules: ["topic readwrite open/#"])) { broker in
      try await withConnection(ConnectionOptions(broker)) { connection, _ in
        let denied = try Topic("secret/a")
        await #expect(throws: ConnectionError.publishRefused(denied, .notAuthorized)) {
          try await connection.publish(Publish(denied, "x"))
        }
        let result = try await connection.publish(Publish(Topic("open/a"), "x"))
        #expect(result == .acknowledged(.noMatchingSubscribers))
      }
    }
  }

  @Test("After unsubscribe nothing comes", arguments: versions)
  func unsubscribes(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker, version)) { connection, recorder in
        _ = try await connection.subscribe([
          Subscribe(TopicFilter("a")), Subscribe(TopicFilter("b")), Subscribe(TopicFilter("c")),
        ])
        try await connection.unsubscribe([TopicFilter("a"), TopicFilter("b")])
        for topic in ["a", "b", "c"] { try await connection.publish(Publish(Topic(topic), topic)) }
        try await eventually("the remaining one is deaf") { recorder.count == 1 }
        #expect(recorder.texts == ["c"])
      }
    }
  }

  @Test("A handler may publish, subscribe and unsubscribe", arguments: versions)
  func callsFromHandlers(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with { broker in
      let connection = try Connection(ConnectionOptions(broker, version))
      let answers = Collector<PublishResult>()
      let recorder = Recorder { message in
        guard message.topic == "ping", let pong = try? Topic("pong"), let filter = try? TopicFilter("ping")
        else {
          return
        }
        connection.publish(Publish(pong, message.payload)) { answers.add($0) }
        connection.unsubscribe([filter]) { _ in }
      }
      connection.connect(delegate: recorder)
      try await eventually("no connection") { !recorder.history.sessions.isEmpty }
      _ = try await connection.subscribe([Subscribe(TopicFilter("ping")), Subscribe(TopicFilter("pong"))])
      try await connection.publish(Publish(Topic("ping"), "1"))
      try await eventually("no answer") { recorder.texts == ["1", "1"] && answers.count == 1 }
      try await broker.waitForLog("Received UNSUBSCRIBE")
      await connection.close()
    }
  }

  @Test("100,000 messages at QoS 0 arrive completely and in order")
  func burst() async throws {
    let count = 100_000
    let options = LocalBroker.Options(configuration: ["max_queued_messages 0"])
    try await LocalBroker.with(options) { broker in
      try await withConnection(ConnectionOptions(broker)) { subscriber, recorder in
        _ = try await subscriber.subscribe([Subscribe(TopicFilter("n"), qos: .atMostOnce)])
        var publishing = ConnectionOptions(broker)
        publishing.outboxLimits.count = count
        try await withConnection(publishing) { publisher, _ in
          let topic = try Topic("n")
          for index in 0..<count {
            publisher.send(Publish(topic, "\(index)", qos: .atMostOnce))
          }
          try await eventually("messages are missing") { recorder.count >= count }
        }
        #expect(recorder.texts.elementsEqual((0..<count).map { "\($0)" }))
      }
    }
  }
}
