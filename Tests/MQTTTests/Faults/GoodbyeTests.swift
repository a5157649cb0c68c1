import Brokers
import MQTT
import Peers
import Testing

/// A broker that ends the connection.
@Suite(.timeLimit(.minutes(3)))
struct GoodbyeTests {
  /// What a broker may say (MQTT 5, 3.14.2.1).
  private static let reasons: [UInt8] =
    [0x00, 0x80, 0x81, 0x82, 0x83, 0x87, 0x89, 0x8B, 0x8D, 0x8F, 0x90] + Array(0x93...0x9C)
    + Array(0x9E...0xA2)

  @Test(
    "Each reason of a DISCONNECT is the cause, in words, and the connection comes back", arguments: reasons)
  func reason(_ number: UInt8) async throws {
    // With its length of properties, without, and with properties.
    let tails: [[UInt8]] = [[], [0], [10, 0x1F, 0, 2, 0x6E, 0x6F, 0x26, 0, 0, 0, 0]]
    let tail = tails[Int(number) % tails.count]
    let link = try await firstLink(.v5) { link in
      try link.send(bytes: [0xE0, UInt8(1 + tail.count), number] + tail)
      try link.silence()
    }
    #expect(link.cause == .disconnected(ReasonCode(rawValue: number)))
    let text = words(link.cause)
    #expect(!text.contains("Unknown reason") && text.contains("(\(number))"))
    if number == 0 { #expect(text.contains("Normal disconnection")) }
  }

  @Test(
    "A goodbye that only closes, or says what MQTT 5 does not know, is a cause too", arguments: [0x42, 0xFE])
  func unknown(_ number: UInt8) async throws {
    let link = try await firstLink(.v5) { link in
      try link.send(bytes: [0xE0, 2, number, 0])
      try link.silence()
    }
    #expect(link.cause != nil)
  }

  @Test("A DISCONNECT without a reason, which libmosquitto does not read, still is a cause that names it")
  func bare() async throws {
    let link = try await firstLink(.v5) { link in
      try link.send(.disconnect())
      try link.silence()
    }
    #expect(
      words(link.cause).contains("a goodbye without a reason")
        || link.cause == .disconnected(.success))
  }

  @Test("A client id that was taken over is named", arguments: ["mine", "other"])
  func takenOver(_ id: String) async throws {
    let link = try await firstLink(.v5, options: { $0.clientID = id }) { link in
      try link.send(.disconnect(.sessionTakenOver, properties: [.reasonString("again")]))
      try link.silence()
    }
    #expect(link.cause == .clientIDInUse(id))
    #expect(words(link.cause).contains("\"\(id)\"") && words(link.cause).contains("give each client its own"))
  }

  @Test("A broker that has moved for good ends the connection, once, with that reason")
  func moved() async throws {
    let broker = try ScriptedBroker { link in
      try link.accept()
      try link.send(.disconnect(.serverMoved, properties: [.serverReference("elsewhere:1883")]))
      try link.silence()
    }
    let connection = try Connection(ConnectionOptions(broker))
    let (states, end) = record(connection)
    connection.connect()
    let error = ConnectionError.disconnected(.serverMoved)
    try await eventually("not closed") { states.values.last == .closed(error) }
    await #expect(throws: error) { try await connection.publish(Publish(Topic("a"), "x")) }
    #expect("\(error)".contains("connect to where it is now"))
    try await broker.finish()
    #expect(broker.linkCount == 1)
    await connection.close()
    end.dispose()
  }

  @Test("MQTT 3.1.1 knows no DISCONNECT of a broker: the link ends all the same, and comes back")
  func plain() async throws {
    let link = try await firstLink(.v311) { link in
      try link.send(bytes: [0xE0, 0])
      try link.silence()
    }
    #expect(words(link.cause).contains("against MQTT"))
  }

  @Test("Messages right before a goodbye still arrive", arguments: [QoS.atMostOnce, .atLeastOnce])
  func lastMessages(_ qos: QoS) async throws {
    let link = try await firstLink(.v5) { link in
      try link.send(
        .publish("a", "1", qos: UInt8(qos.rawValue), id: qos == .atMostOnce ? 0 : 1),
        .publish("a", "2", qos: UInt8(qos.rawValue), id: qos == .atMostOnce ? 0 : 2),
        .disconnect(.serverShuttingDown))
      try link.silence()
    }
    #expect(link.texts == ["1", "2"])
    #expect(link.cause == .disconnected(.serverShuttingDown))
  }

  @Test("A client that closes says goodbye, and nothing after it", arguments: ProtocolVersion.both)
  func ours(_ version: ProtocolVersion) async throws {
    let broker = try ScriptedBroker { link in
      try link.accept()
      try link.expectDisconnect()
      try link.expectEnd()
    }
    try await withConnection(ConnectionOptions(broker, version)) { _, _ in }
    try await broker.finish()
  }
}
