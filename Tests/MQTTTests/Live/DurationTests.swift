import Brokers
import MQTT
import Peers
import Testing

/// A duration can be longer than anything that a clock or a packet can hold.
@Suite(.timeLimit(.minutes(3)))
struct DurationTests {
  private static let forEver = Duration.seconds(Int64.max) * 17

  @Test("Deadlines and lives that never end are as good as others", arguments: [ProtocolVersion.v5, .v311])
  func connects(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with { broker in
      var options = ConnectionOptions(broker, version)
      options.connectDeadline = Self.forEver
      options.acknowledgementDeadline = Self.forEver
      options.sessionExpiry = Self.forEver
      options.backoff = .init(initial: Self.forEver, maximum: Self.forEver)
      let properties = MessageProperties(expiry: Self.forEver)
      options.will = Will(try Topic("w"), [], delay: Self.forEver, properties: properties)
      let (connection, recorder) = (try Connection(options), Recorder())
      connection.connect(delegate: recorder)
      try await eventually("no connection") { !recorder.history.sessions.isEmpty }
      _ = try await connection.subscribe([Subscribe(TopicFilter("t"))])
      try await connection.publish(Publish(Topic("t"), "x", properties: properties))
      try await eventually("no message") { recorder.texts == ["x"] }
      await broker.kill()
      try await eventually("the death went unnoticed") { recorder.history.causes.count == 1 }
      connection.close(deadline: Self.forEver) {}
      await connection.close(deadline: .zero)
    }
  }

  @Test("A keep-alive out of its range is refused, however far out", arguments: [forEver, .zero - forEver])
  func keepAlive(_ keepAlive: Duration) throws {
    var options = ConnectionOptions(host: "127.0.0.1")
    options.keepAlive = keepAlive
    #expect(throws: ConnectionError.self) { try Connection(options) }
  }
}
