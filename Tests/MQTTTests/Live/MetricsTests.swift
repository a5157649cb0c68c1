import Brokers
import MQTT
import Peers
import Testing

/// What is counted is what went over the wire.
@Suite(.timeLimit(.minutes(3)))
struct MetricsTests {
  @Test("A message that is refused before it is sent does not count as sent")
  func refused() async throws {
    let broker = try ScriptedBroker { link in
      try link.accept(properties: [.maximumQoS(0), .retainAvailable(false)])
      try link.serve()
    }
    try await withConnection(ConnectionOptions(broker)) { connection, _ in
      let topic = try Topic("t")
      for publish in [
        Publish(topic, "1", qos: .exactlyOnce), Publish(topic, "2", qos: .atMostOnce, retain: true),
      ] {
        await #expect(throws: ConnectionError.self) { try await connection.publish(publish) }
      }
      try await connection.publish(Publish(topic, "3", qos: .atMostOnce))
      #expect(connection.metrics.messagesSent == 1)
      try await broker.waitForPacket(.publish)
    }
    try await broker.finish()
  }

  @Test("A message that is sent again counts again, also when the session goes on", arguments: [false, true])
  func sentAgain(_ resumes: Bool) async throws {
    let broker = try ScriptedBroker(links: [
      { link in
        try link.accept()
        _ = try link.expectPublish()
        try link.reset()
      },
      { link in
        try link.accept(sessionPresent: resumes)
        try link.serve()
      },
    ])
    var options = ConnectionOptions(broker)
    options.sessionExpiry = resumes ? .seconds(60) : .zero
    try await withConnection(options) { connection, _ in
      try await connection.publish(Publish(Topic("t"), "x", qos: .exactlyOnce))
      #expect(broker.received.count { $0.packet.kind == .publish } == 2)
      #expect(connection.metrics.messagesSent == 2)
    }
    try await broker.finish(links: 2)
  }
}
