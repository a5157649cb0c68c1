import Foundation
import MQTT
import Peers
import Signals
import Testing

/// What a connection needs of any broker, in the versions that it speaks.
@Suite(.timeLimit(.minutes(5)))
struct InteropTests {
  @Test("It connects and closes cleanly", arguments: InteropBroker.versions)
  func connectAndClose(_ version: ProtocolVersion) async throws {
    try await InteropBroker.with(version) { broker in
      let options = broker.options
      let connection = try Connection(options)
      let (states, end) = record(connection)
      let recorder = Recorder()
      connection.connect(delegate: recorder)
      try await eventually("no connection") { recorder.history.sessions.count == 1 }
      let session = recorder.history.sessions[0]
      #expect(session.version == version)
      #expect(!session.isFallback)
      #expect(!session.isPresent)
      await connection.close(deadline: .seconds(30))
      #expect(
        states.values == [
          .idle, .connecting(options.endpoint, attempt: 1), .connected(session), .closed(nil),
        ])
      #expect(recorder.history.causes == [nil])
      end.dispose()
    }
  }

  @Test("Asked for MQTT 5, a broker that lacks it is spoken to in 3.1.1, whether it says so or not")
  func fallback() async throws {
    try await InteropBroker.with(.v5) { broker in
      var options = broker.options
      if !broker.isOwn { options.connectDeadline = .seconds(5) }
      let states = try await states(options) { states in
        states.contains { if case .connected = $0 { true } else { false } }
          || states.count { if case .waiting = $0 { true } else { false } } == 4
      }
      let outcome =
        switch states.last {
        case .connected(let session):
          switch session.fallback {
          case nil: "5 spoken"
          case .refused: "refused, 3.1.1 spoken"
          case .unanswered: "not answered, 3.1.1 spoken"
          }
        default: "no connection"
        }
      InteropFacts.record("MQTT 5 asked for", outcome, InteropBroker.speaksV5 ? .v5 : .v311)
      // A broker without MQTT 5 has to say so (MQTT 3.1.1, 3.1.2.2), but not all do.
      #expect((outcome == "5 spoken") == InteropBroker.speaksV5)
      #expect(outcome != "no connection")
    }
  }

  @Test("A wrong password is refused for good", arguments: InteropBroker.versions)
  func wrongPassword(_ version: ProtocolVersion) async throws {
    try await InteropBroker.with(version) { broker in
      var options = broker.options
      guard options.user != nil else { return }
      options.password = "not the password"
      let end = try await finalState(options)
      guard case .closed(.refused(let code)) = end else {
        Issue.record("not refused: \(end)")
        return
      }
      broker.record("wrong password", "refused: \(code)")
    }
  }

  @Test("Without a login the broker decides, and says so", arguments: InteropBroker.versions)
  func anonymous(_ version: ProtocolVersion) async throws {
    try await InteropBroker.with(version) { broker in
      var options = broker.options
      options.user = nil
      options.password = nil
      let end = try await finalState(options)
      switch end {
      case .connected: broker.record("no login", "accepted")
      case .closed(.refused(let code)): broker.record("no login", "refused: \(code)")
      default: Issue.record("neither accepted nor refused: \(end)")
      }
      if broker.isOwn { #expect(end == .closed(.refused(.notAuthorized))) }
    }
  }

  /// The first state in which nothing more happens by itself.
  private func finalState(_ options: ConnectionOptions) async throws -> ConnectionState {
    func isFinal(_ state: ConnectionState) -> Bool {
      switch state {
      case .connected, .closed: true
      default: false
      }
    }
    return try await states(options) { $0.contains(where: isFinal) }.last!
  }

  /// The states of a connection up to the first that makes `isEnough` true.
  private func states(
    _ options: ConnectionOptions, until isEnough: ([ConnectionState]) -> Bool
  ) async throws -> [ConnectionState] {
    let connection = try Connection(options)
    let (states, end) = record(connection)
    connection.connect()
    var found: [ConnectionState] = []
    try await eventually("the states lead nowhere: \(states.values)") {
      let values = states.values
      let length = values.indices.first { isEnough(Array(values[...$0])) }
      if let length { found = Array(values[...length]) }
      return length != nil
    }
    await connection.close(deadline: .zero)
    end.dispose()
    return found
  }

  @Test("Payloads arrive byte for byte at QoS 0 and 1", arguments: InteropBroker.versions)
  func payloads(_ version: ProtocolVersion) async throws {
    let payloads: [[UInt8]] = [
      [], Array(0...255), Array("ä".utf8),
      (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 256 &* 31 &+ $0) },
    ]
    try await InteropBroker.with(version) { broker in
      try await withConnection(broker.options) { connection, recorder in
        for qos in [QoS.atMostOnce, .atLeastOnce] {
          let topic = try broker.topic("\(qos)")
          let granted = try await connection.subscribe([Subscribe(TopicFilter(topic), qos: qos)])
          #expect(granted == [.granted(qos)])
          for payload in payloads { try await connection.publish(Publish(topic, payload, qos: qos)) }
          try await eventually("payloads are missing at \(qos)") {
            recorder.messages(on: topic).count == payloads.count
          }
          let messages = recorder.messages(on: topic)
          #expect(messages.map(\.payload) == payloads)
          #expect(messages.allSatisfy { $0.qos == qos && !$0.isRetained })
        }
        #expect(recorder.history.causes.isEmpty)
      }
    }
  }

  @Test(
    "A retained message is there for who comes later, until an empty one", arguments: InteropBroker.versions)
  func retained(_ version: ProtocolVersion) async throws {
    try await InteropBroker.with(version) { broker in
      let topic = try broker.topic("lamp")
      try await withConnection(broker.options) { connection, recorder in
        try await connection.publish(Publish(topic, "first", retain: true))
        try await connection.publish(Publish(topic, "on", retain: true))
        _ = try await connection.subscribe([Subscribe(TopicFilter(topic))])
        try await eventually("no retained message") { recorder.texts(on: topic) == ["on"] }
        #expect(recorder.messages(on: topic)[0].isRetained)
        try await connection.publish(Publish(topic, "off", retain: true))
        try await eventually("no live message") { recorder.texts(on: topic) == ["on", "off"] }
        broker.record(
          "retain flag of a live message", recorder.messages(on: topic)[1].isRetained ? "set" : "clear")
      }
      let wildcard = try await replay(broker.filter("#"), topic, broker)
      broker.record("retained message for a wildcard filter", wildcard.isEmpty ? "not sent" : "sent")
      #expect(wildcard == ["off"] || !broker.isOwn)
      let stored = try await replay(TopicFilter(topic), topic, broker)
      broker.record("a retained message for a new subscriber", stored.count == 1 ? "sent once" : "sent twice")
      #expect(Set(stored) == ["off"])
      #expect(stored.count == 1 || !broker.isOwn)
      try await withConnection(broker.options) { connection, _ in
        try await connection.publish(Publish(topic, "", retain: true))
      }
      let cleared = try await replay(TopicFilter(topic), topic, broker)
      #expect(cleared == [])
    }
  }

  /// What a new subscriber gets on `topic` before its first live message.
  private func replay(_ filter: TopicFilter, _ topic: Topic, _ broker: InteropBroker) async throws -> [String]
  {
    try await withConnection(broker.options) { connection, recorder in
      _ = try await connection.subscribe([Subscribe(filter)])
      // Brokers may send what they have in store after the SUBACK, so one live message must not be the proof.
      for _ in 0..<3 {
        let count = recorder.texts(on: topic).count { $0 == "now" }
        try await connection.publish(Publish(topic, "now"))
        try await eventually("no live message") { recorder.texts(on: topic).count { $0 == "now" } > count }
      }
      return recorder.texts(on: topic).filter { $0 != "now" }
    }
  }

  @Test("After an unsubscribe nothing comes", arguments: InteropBroker.versions)
  func unsubscribe(_ version: ProtocolVersion) async throws {
    try await InteropBroker.with(version) { broker in
      try await withConnection(broker.options) { connection, recorder in
        let (ended, kept) = (try broker.topic("ended"), try broker.topic("kept"))
        _ = try await connection.subscribe([Subscribe(TopicFilter(ended)), Subscribe(TopicFilter(kept))])
        try await connection.publish(Publish(ended, "1"))
        try await eventually("nothing arrived") { recorder.texts(on: ended) == ["1"] }
        try await connection.unsubscribe([TopicFilter(ended)])
        try await connection.publish(Publish(ended, "2"))
        try await connection.publish(Publish(kept, "mark"))
        try await eventually("no mark") { recorder.texts(on: kept) == ["mark"] }
        #expect(recorder.texts(on: ended) == ["1"])
      }
    }
  }

  @Test("1,000 messages at QoS 1 come in order from a foreign client", arguments: InteropBroker.versions)
  func thousandIn(_ version: ProtocolVersion) async throws {
    let numbers = (0..<1_000).map(String.init)
    try await InteropBroker.with(version) { broker in
      try await withConnection(broker.options) { connection, recorder in
        let topic = try broker.topic("in")
        _ = try await connection.subscribe([Subscribe(TopicFilter(topic))])
        try await ForeignClient.publish(
          broker, ["-t", topic.name, "-l"], input: numbers.map { $0 + "\n" }.joined())
        try await eventually("messages are missing") { recorder.messages(on: topic).count >= 1_000 }
        #expect(recorder.texts(on: topic) == numbers)
        broker.record("1,000 messages at QoS 1 in a burst, from a client", "in order")
      }
    }
  }

  @Test("1,000 messages at QoS 1 reach a foreign client in order", arguments: InteropBroker.versions)
  func thousandOut(_ version: ProtocolVersion) async throws {
    let numbers = (0..<1_000).map(String.init)
    try await InteropBroker.with(version) { broker in
      let client = try await ForeignClient.subscribe(
        broker, "\(broker.root)/#", probe: broker.topic("probe").name)
      let topic = try broker.topic("out")
      try await withConnection(broker.options) { connection, _ in
        let results = Collector<PublishResult>()
        for number in numbers { connection.publish(Publish(topic, number)) { results.add($0) } }
        try await eventually("not acknowledged") { results.count == 1_000 }
        #expect(results.values.allSatisfy { $0.isSuccess })
      }
      let got = { client.lines.filter { $0.hasPrefix("\(topic) ") } }
      try await eventually("messages are missing") { got().count >= 1_000 }
      #expect(got() == numbers.map { "\(topic) \($0)" })
      broker.record("1,000 messages at QoS 1 in a burst, to a client", "in order")
    }
  }
}
