import MQTT
import Peers
import Testing

/// What MQTT 5 adds, at brokers that speak it.
@Suite(.timeLimit(.minutes(5)), .enabled(if: InteropBroker.speaksV5, "the broker does not speak MQTT 5"))
struct MQTT5InteropTests {
  @Test("The session tells the broker's limits")
  func session() async throws {
    try await InteropBroker.with(.v5) { broker in
      try await withConnection(broker.options) { _, recorder in
        let session = recorder.history.sessions[0]
        broker.record("Receive Maximum", "\(session.receiveMaximum)")
        broker.record("Maximum Packet Size", session.maximumPacketSize.map { "\($0)" } ?? "none")
        broker.record("Maximum QoS", "\(session.maximumQoS.rawValue)")
        broker.record("keep-alive, asked for 60 s", "\(session.keepAlive)")
        broker.record("retained messages", session.isRetainAvailable ? "yes" : "no")
        broker.record("subscription identifiers", session.hasSubscriptionIdentifiers ? "yes" : "no")
        broker.record("shared subscriptions", session.hasSharedSubscriptions ? "yes" : "no")
        if broker.isOwn {
          #expect(session.receiveMaximum == 10)
          #expect(session.keepAlive == .seconds(30))
        }
      }
    }
  }

  @Test("A client without an id is given one")
  func assignedID() async throws {
    try await InteropBroker.with(.v5) { broker in
      var options = broker.options
      options.clientID = ""
      try await withConnection(options) { _, recorder in
        #expect(!recorder.history.sessions[0].clientID.isEmpty)
      }
    }
  }

  @Test("Properties reach a foreign client whole")
  func properties() async throws {
    try await InteropBroker.with(.v5) { broker in
      let client = try await ForeignClient.subscribe(
        broker, "\(broker.root)/#", probe: broker.topic("probe").name, format: "%p|%C|%P|%E")
      try await withConnection(broker.options) { connection, _ in
        let properties = MessageProperties(
          contentType: "text/plain", expiry: .seconds(99),
          userProperties: [.init("k", "v"), .init("k", "w"), .init("ä", "ö")])
        try await connection.publish(Publish(broker.topic("t"), "x", properties: properties))
      }
      try await eventually("nothing arrived") { client.lines.contains { $0.hasPrefix("x|") } }
      let line = client.lines.first { $0.hasPrefix("x|") }!
      #expect(line.hasPrefix("x|text/plain|k:v k:w ä:ö|"))
      let expiry = line.split(separator: "|").last.flatMap { Int($0) }
      #expect(expiry.map { (1...99).contains($0) } == true, "\(line)")
    }
  }

  @Test("A will of MQTT 5 carries its properties")
  func willProperties() async throws {
    try await InteropBroker.with(.v5) { broker in
      let relay = try CuttingProxy(to: UInt16(broker.port))
      defer { relay.stop() }
      let client = try await ForeignClient.subscribe(
        broker, "\(broker.root)/#", probe: broker.topic("probe").name, format: "%p|%C|%P")
      var options = broker.options
      options.endpoint = .tcp(host: "127.0.0.1", port: Int(relay.port))
      options.will = Will(
        try broker.topic("will"), Array("lost".utf8),
        properties: .init(contentType: "text/plain", userProperties: [.init("k", "v")]))
      try await withConnection(options) { _, _ in
        relay.cut()
        try await eventually("no will") { client.lines.contains { $0.hasPrefix("lost|") } }
      }
      #expect(client.lines.contains("lost|text/plain|k:v"))
    }
  }

  @Test("A retained message goes when its expiry has passed")
  func expiry() async throws {
    try await InteropBroker.with(.v5) { broker in
      let (short, long) = (try broker.topic("short"), try broker.topic("long"))
      try await withConnection(broker.options) { connection, _ in
        try await connection.publish(
          Publish(short, "x", retain: true, properties: .init(expiry: .seconds(2))))
        try await connection.publish(
          Publish(long, "x", retain: true, properties: .init(expiry: .seconds(900))))
      }
      try await eventually("it stays") {
        try await withConnection(broker.options) { connection, recorder in
          _ = try await connection.subscribe([Subscribe(TopicFilter(short))])
          _ = try await connection.subscribe([Subscribe(TopicFilter(long))])
          try await eventually("the other one is gone") { recorder.texts(on: long) == ["x"] }
          return recorder.texts(on: short).isEmpty
        }
      }
      try await withConnection(broker.options) { connection, _ in
        try await connection.publish(Publish(long, "", retain: true))
      }
    }
  }

  @Test("The options of a subscription hold: no-local and retain-as-published")
  func options() async throws {
    try await InteropBroker.with(.v5) { broker in
      try await withConnection(broker.options) { connection, recorder in
        let (own, kept, plain) = (
          try broker.topic("own"), try broker.topic("kept"), try broker.topic("plain")
        )
        _ = try await connection.subscribe([
          Subscribe(TopicFilter(own), noLocal: true), Subscribe(TopicFilter(kept), retainAsPublished: true),
          Subscribe(TopicFilter(plain)),
        ])
        for topic in [own, kept, plain] { try await connection.publish(Publish(topic, "x", retain: true)) }
        try await eventually("messages are missing") {
          recorder.texts(on: kept) == ["x"] && recorder.texts(on: plain) == ["x"]
        }
        #expect(recorder.messages(on: kept)[0].isRetained)
        #expect(!recorder.messages(on: plain)[0].isRetained)
        try await withConnection(broker.options) { other, _ in try await other.publish(Publish(own, "other"))
        }
        try await eventually("the other one's is missing") { !recorder.texts(on: own).isEmpty }
        #expect(recorder.texts(on: own) == ["other"])
        for topic in [own, kept, plain] { try await connection.publish(Publish(topic, "", retain: true)) }
      }
    }
  }

  @Test(
    "Retain handling decides what a subscribe replays",
    arguments: [Subscribe.RetainHandling.always, .whenNew, .never])
  func retainHandling(_ handling: Subscribe.RetainHandling) async throws {
    let expected = [Subscribe.RetainHandling.always: [1, 2], .whenNew: [1, 1], .never: [0, 0]][handling]!
    try await InteropBroker.with(.v5) { broker in
      try await withConnection(broker.options) { connection, recorder in
        let (topic, mark) = (try broker.topic("t"), try broker.topic("mark"))
        try await connection.publish(Publish(topic, "x", retain: true))
        try await connection.publish(Publish(mark, "x", retain: true))
        for round in 0..<2 {
          _ = try await connection.subscribe([Subscribe(TopicFilter(topic), retainHandling: handling)])
          // Its replay comes after that of the subscribe before it.
          _ = try await connection.subscribe([Subscribe(TopicFilter(mark))])
          try await eventually("no mark") { recorder.texts(on: mark).count == round + 1 }
          #expect(recorder.texts(on: topic).count == expected[round], "subscribe \(round + 1)")
        }
        for topic in [topic, mark] { try await connection.publish(Publish(topic, "", retain: true)) }
      }
    }
  }

  @Test("Each copy carries the identifier of its subscription")
  func identifiers() async throws {
    try await InteropBroker.with(.v5) { broker in
      try await withConnection(broker.options) { connection, recorder in
        let (topic, mark) = (try broker.topic("a/b"), try broker.topic("mark"))
        _ = try await connection.subscribe([
          Subscribe(broker.filter("a/#"), identifier: 7),
          Subscribe(broker.filter("a/+"), identifier: 268_435_455), Subscribe(TopicFilter(mark)),
        ])
        try await connection.publish(Publish(topic, "x"))
        try await connection.publish(Publish(mark, "x"))
        try await eventually("no mark") { recorder.texts(on: mark) == ["x"] }
        // One copy with both or two with one each (MQTT 5, 3.3.4).
        let identifiers = recorder.messages(on: topic).map { Array($0.subscriptionIdentifiers) }
        #expect(Set(identifiers.joined()) == [7, 268_435_455])
        #expect(identifiers.joined().count == 2)
        broker.record(
          "identifiers of two overlapping filters", identifiers.count == 1 ? "one copy" : "a copy each")
        #expect(recorder.messages(on: mark)[0].subscriptionIdentifiers.isEmpty)
      }
    }
  }

  @Test("Each message of a shared subscription goes to one of its members")
  func shared() async throws {
    let numbers = (0..<40).map(String.init)
    try await InteropBroker.with(.v5) { broker in
      let topic = try broker.topic("work")
      let filter = try TopicFilter("$share/\(broker.root)/\(topic)")
      try await withConnection(broker.options) { first, firstRecorder in
        try await withConnection(broker.options) { second, secondRecorder in
          for member in [first, second] {
            try #expect(await member.subscribe([Subscribe(filter)]) == [.granted(.atLeastOnce)])
          }
          for number in numbers { try await first.publish(Publish(topic, number)) }
          let all = { firstRecorder.texts(on: topic) + secondRecorder.texts(on: topic) }
          try await eventually("messages are missing") { all().count >= numbers.count }
          #expect(all().sorted() == numbers.sorted())
          #expect(firstRecorder.count > 0 && secondRecorder.count > 0)
          broker.record(
            "a shared subscription's 40 messages", "\(firstRecorder.count) and \(secondRecorder.count)")
        }
      }
    }
  }

  @Test("A publish that nobody gets says so, if the broker tells")
  func noSubscribers() async throws {
    try await InteropBroker.with(.v5) { broker in
      try await withConnection(broker.options) { connection, _ in
        let result = try await connection.publish(Publish(broker.topic("nobody"), "x"))
        #expect(result.isSuccess)
        broker.record("a publish without subscribers", result.fact)
        if broker.isOwn { #expect(result == .acknowledged(.noMatchingSubscribers)) }
      }
    }
  }
}
