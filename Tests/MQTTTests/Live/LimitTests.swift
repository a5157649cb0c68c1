import Brokers
import Peers
import Testing

@testable import MQTT

/// What a broker says that it does not take, and what it takes of us.
@Suite(.timeLimit(.minutes(3)))
struct LimitTests {
  /// A broker with these CONNACK properties that grants everything, at QoS 1.
  private func server(_ properties: [Packet.Property]) throws -> ScriptedBroker {
    try ScriptedBroker { link in
      try link.accept(properties: properties)
      try link.serve()
    }
  }

  @Test(
    "A broker without wildcards and shared subscriptions is not asked for them, and the caller is told which")
  func refusedWithoutAsking() async throws {
    let server = try server([
      .wildcardSubscriptionAvailable(false), .subscriptionIdentifiersAvailable(false),
      .sharedSubscriptionAvailable(false),
    ])
    try await withConnection(ConnectionOptions(server)) { connection, recorder in
      let session = recorder.history.sessions[0]
      #expect(!session.hasWildcards && !session.hasSubscriptionIdentifiers && !session.hasSharedSubscriptions)
      let results = try await connection.subscribe([
        Subscribe(TopicFilter("a/#")), Subscribe(TopicFilter("$share/g/a")),
        Subscribe(TopicFilter("a"), identifier: 5),
      ])
      #expect(
        results == [
          .refused(.wildcardSubscriptionsNotSupported), .refused(.sharedSubscriptionsNotSupported),
          .granted(.atLeastOnce),
        ])
      let asked: [Packet.Subscribe] = server.received(on: 0).compactMap {
        if case .subscribe(let subscribe) = $0 { subscribe } else { nil }
      }
      #expect(asked.map(\.filters) == [[.init("a", qos: 1)]] && asked[0].properties.isEmpty)
      #expect(
        try await connection.subscribe([Subscribe(TopicFilter("+"))]) == [
          .refused(.wildcardSubscriptionsNotSupported)
        ])
    }
  }

  @Test("Who asks for QoS 2 gets QoS 1, and is told", arguments: [ProtocolVersion.v5, .v311])
  func exactlyOnceSubscription(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker, version)) { connection, recorder in
        let results = try await connection.subscribe([Subscribe(TopicFilter("a"), qos: .exactlyOnce)])
        #expect(results == [.granted(.atLeastOnce)])
        try await Peer.publish(broker, "-t", "a", "-m", "x", "-q", "2")
        try await eventually("nothing arrived") { recorder.count == 1 }
        #expect(recorder.history.messages[0].qos == .atLeastOnce)
      }
    }
  }

  @Test(
    "An answer to a subscribe with too few, too many or unknown codes fails it, and grants nothing",
    arguments: [
      [0x90, 3, 0, 1, 0], [0x90, 4, 0, 1, 0, 1], [0x90, 6, 0, 1, 0, 1, 1, 1], [0x90, 5, 0, 1, 0, 1, 3],
      [0xB0, 5, 0, 1, 0, 0, 0],
    ] as [[UInt8]])
  func badAnswer(_ answer: [UInt8]) async throws {
    let server = try ScriptedBroker { link in
      try link.serve { packet in
        guard packet.kind == .subscribe else { return false }
        try link.send(bytes: answer)
        return true
      }
    }
    try await withConnection(ConnectionOptions(server)) { connection, _ in
      let error = await #expect(throws: ConnectionError.self) {
        try await connection.subscribe([Subscribe(TopicFilter("a")), Subscribe(TopicFilter("b"))])
      }
      switch error {
      case .badAnswer: break
      // Later releases of the library break the link for an answer without any code.
      case .linkLost where answer.count == 5: break
      default: Issue.record("\(String(describing: error))")
      }
    }
  }

  @Test("Shared subscriptions share: each message comes to one of the group")
  func shared() async throws {
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker)) { first, recorder in
        try await withConnection(ConnectionOptions(broker)) { second, other in
          let filter = Subscribe(try TopicFilter("$share/workers/jobs/+"))
          let refused = Subscribe(try TopicFilter("$share/workers/jobs/+"), noLocal: true)
          await #expect(throws: ConnectionError.self) { try await first.subscribe([refused]) }
          #expect(try await first.subscribe([filter]) == [.granted(.atLeastOnce)])
          #expect(try await second.subscribe([filter]) == [.granted(.atLeastOnce)])
          for number in 0..<10 { try await first.publish(Publish(Topic("jobs/\(number)"), "x")) }
          try await eventually("not all arrived") { recorder.count + other.count == 10 }
          #expect(recorder.count > 0 && other.count > 0 && recorder.history.causes.isEmpty)
        }
      }
    }
  }

  @Test("Retained messages come when they were asked for: always, for a new subscription, never")
  func retainHandling() async throws {
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker)) { connection, recorder in
        try await connection.publish(Publish(Topic("a"), "a", retain: true))
        func subscribe(_ handling: Subscribe.RetainHandling) async throws -> Int {
          let before = recorder.count
          _ = try await connection.subscribe([Subscribe(TopicFilter("a"), retainHandling: handling)])
          try await connection.publish(Publish(Topic("a"), "live"))
          try await eventually("deaf") { recorder.texts.dropFirst(before).contains("live") }
          return recorder.count - before - 1
        }
        try #expect(await subscribe(.whenNew) == 1)
        try #expect(await subscribe(.whenNew) == 0)
        try #expect(await subscribe(.never) == 0)
        try #expect(await subscribe(.always) == 1)
      }
    }
  }

  @Test("Subscribes and unsubscribes stay below the largest packet of the broker, to the byte")
  func packetSize() async throws {
    try await LocalBroker.with(.init(configuration: ["max_packet_size 100"])) { broker in
      try await withConnection(ConnectionOptions(broker)) { connection, recorder in
        // Type, length, id, no properties, and 3 bytes beside the name.
        let fits = try TopicFilter(String(repeating: "f", count: 92))
        let long = try TopicFilter(String(repeating: "l", count: 93))
        let many = try (0..<50).map { try TopicFilter("many/\($0)") }
        let results = try await connection.subscribe(([fits, long] + many).map { Subscribe($0) })
        #expect(results[0] == .granted(.atLeastOnce) && results[1] == .refused(.packetTooLarge))
        #expect(results.dropFirst(2).allSatisfy { $0 == .granted(.atLeastOnce) })
        try await connection.publish(Publish(Topic(many[49].name), "x"))
        try await eventually("deaf") { recorder.count == 1 }
        try await connection.unsubscribe([fits] + many)
        try #expect(
          await connection.publish(Publish(Topic(many[49].name), "x"))
            == .acknowledged(.noMatchingSubscribers))
        let tooLong = try TopicFilter(String(repeating: "l", count: 94))
        await #expect(throws: ConnectionError.self) { try await connection.unsubscribe([fits, tooLong]) }
        #expect(recorder.history.causes.isEmpty)
      }
    }
  }

  @Test("A publish with properties stays below the largest packet of the broker, to the byte")
  func publishSize() async throws {
    try await LocalBroker.with(.init(configuration: ["max_packet_size 1000"])) { broker in
      try await withConnection(ConnectionOptions(broker)) { connection, recorder in
        let topic = try Topic("a")
        let properties = MessageProperties(
          contentType: "text/plain", expiry: .seconds(60), responseTopic: topic, correlationData: [1],
          isText: true, userProperties: [.init("name", "value")])
        var publish = Publish(topic, "", properties: properties)
        let room = 1_000 - publish.packetSize(.v5)
        // The length field is a byte longer once the packet has 128 bytes.
        publish.payload = [UInt8](repeating: 0x61, count: room - 1)
        #expect(publish.packetSize(.v5) == 1_000)
        try await connection.publish(publish)
        publish.payload.append(0x61)
        await #expect(throws: ConnectionError.publishRefused(topic, .packetTooLarge)) {
          try await connection.publish(publish)
        }
        #expect(recorder.history.causes.isEmpty)
      }
    }
  }

  @Test("The broker is told how many messages and how large a packet may come, and MQTT 3.1.1 is not")
  func announced() async throws {
    let server = try server([])
    var options = ConnectionOptions(server)
    options.receiveMaximum = 0x1234
    options.maximumPacketSize = 0x0001_0203
    for version in [ProtocolVersion.v5, .v311] {
      options.version = version
      try await withConnection(options) { _, _ in }
    }
    let properties: [Set<Packet.Property>] = server.received.compactMap {
      if case .connect(let connect) = $0.packet { Set(connect.properties) } else { nil }
    }
    #expect(properties == [[.receiveMaximum(0x1234), .maximumPacketSize(0x0001_0203)], []])
    for wrong in [0, 65_536] {
      options.receiveMaximum = wrong
      #expect(throws: ConnectionError.self) { try Connection(options) }
    }
  }

  @Test(
    "Never more messages fly than the broker takes, and never fewer",
    arguments: [QoS.atLeastOnce, .exactlyOnce],
    [1, 2, 3])
  func receiveMaximum(_ qos: QoS, _ maximum: Int) async throws {
    let count = 10
    let most = Collector<Int>()
    let server = try ScriptedBroker { link in
      try link.accept(properties: [.receiveMaximum(UInt16(maximum))])
      var flying: [UInt16] = []
      var seen = 0
      while seen < count || !flying.isEmpty {
        // Nothing is acknowledged before there is no more to come.
        if flying.count == maximum || seen == count {
          let id = flying.removeFirst()
          if qos == .exactlyOnce {
            try link.send(.pubrec(id))
            try link.expectPubrel(id)
            try link.send(.pubcomp(id))
          } else {
            try link.send(.puback(id))
          }
        } else {
          flying.append(try link.expectPublish().id)
          seen += 1
          most.add(flying.count)
        }
        // A message too many would be here at once.
        if flying.count == maximum { try link.expectNothing(for: .milliseconds(20)) }
      }
      try link.serve()
    }
    try await withConnection(ConnectionOptions(server)) { connection, _ in
      let results = Collector<PublishResult>()
      for _ in 0..<count { connection.publish(Publish(try Topic("t"), "x", qos: qos)) { results.add($0) } }
      try await eventually("stuck") { results.count == count || server.failure != nil }
      #expect(most.values.max() == maximum)
    }
    try await server.finish()
  }
}
