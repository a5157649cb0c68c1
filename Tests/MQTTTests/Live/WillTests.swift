import Signals
import Brokers
import MQTT
import Peers
import Testing

@Suite(.timeLimit(.minutes(3)))
struct WillTests {
  private func will() throws -> Will {
    Will(
      try Topic("gone"), Array("lost".utf8), retain: true, delay: .milliseconds(1_001),
      properties: .init(
        contentType: "text/plain", expiry: .milliseconds(60_001), responseTopic: try Topic("r"),
        correlationData: [1, 2], isText: true, userProperties: [.init("k", "v"), .init("l", "w")]))
  }

  @Test("A will comes with all of its properties, after its delay, retained")
  func delayed() async throws {
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker)) { watcher, recorder in
        _ = try await watcher.subscribe([Subscribe(TopicFilter("gone"), retainAsPublished: true)])
        let proxy = try CuttingProxy(to: broker.port)
        defer { proxy.stop() }
        var options = ConnectionOptions(host: "127.0.0.1", port: Int(proxy.port))
        // It stays away.
        options.backoff = .init(initial: .seconds(600), maximum: .seconds(600), jitter: 0)
        options.sessionExpiry = .seconds(60)
        options.will = try will()
        let end = try await withConnection(options) { connection, going in
          let start = ContinuousClock.now
          proxy.cut()
          try await eventually("the cut went unnoticed") { going.history.causes.count == 1 }
          try await eventually("no will") { recorder.count == 1 }
          await connection.close(deadline: .zero)
          return start.duration(to: .now)
        }
        #expect(end > .seconds(1), "the broker counts whole seconds, two of them here")
        let message = recorder.history.messages[0]
        #expect(message.payload == Array("lost".utf8) && message.isRetained)
        var expected = try will().properties
        expected.expiry = message.properties.expiry
        #expect(message.properties == expected)
        #expect(message.properties.expiry.map { $0 <= .seconds(61) && $0 > .seconds(30) } == true)
      }
    }
  }

  @Test("A client that comes back within the delay takes its will back")
  func takenBack() async throws {
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker)) { watcher, recorder in
        _ = try await watcher.subscribe([Subscribe(TopicFilter("#"))])
        let proxy = try CuttingProxy(to: broker.port)
        defer { proxy.stop() }
        var options = ConnectionOptions(host: "127.0.0.1", port: Int(proxy.port))
        options.backoff = .init(initial: .milliseconds(1), maximum: .milliseconds(1))
        options.sessionExpiry = .seconds(60)
        options.will = try will()
        options.will?.delay = .seconds(30)
        try await withConnection(options) { connection, going in
          proxy.cut()
          try await eventually("not back") { going.history.sessions.count == 2 }
          try await connection.publish(Publish(Topic("back"), "back"))
        }
        try await eventually("nothing arrived") { recorder.count == 1 }
        #expect(recorder.texts == ["back"])
      }
    }
  }

  @Test("In MQTT 3.1.1 the will goes out without its properties and delay")
  func plain() async throws {
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker)) { watcher, recorder in
        _ = try await watcher.subscribe([Subscribe(TopicFilter("gone"))])
        let proxy = try CuttingProxy(to: broker.port)
        defer { proxy.stop() }
        var options = ConnectionOptions(host: "127.0.0.1", port: Int(proxy.port))
        // It stays away.
        options.backoff = .init(initial: .seconds(600), maximum: .seconds(600), jitter: 0)
        options.version = .v311
        options.will = try will()
        let connection = try Connection(options)
        connection.connect()
        try await eventually("not connected") { connection.metrics.connects == 1 }
        proxy.cut()
        try await eventually("no will") { recorder.count == 1 }
        await connection.close(deadline: .zero)
        #expect(recorder.history.messages[0].properties.isEmpty)
      }
    }
  }

  @Test("A will may have 65,535 bytes and the longest properties")
  func longest() async throws {
    let long = String(repeating: "x", count: 65_535)
    try await LocalBroker.with { broker in
      var options = ConnectionOptions(broker)
      options.user = long
      options.password = long
      options.will = Will(
        try Topic("gone"), [UInt8](repeating: 7, count: 65_535),
        properties: .init(contentType: long, userProperties: [.init(long, long)]))
      try await withConnection(options) { connection, _ in
        try await connection.publish(Publish(Topic("t"), "x"))
      }
    }
  }
}
