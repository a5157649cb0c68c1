import Brokers
import Peers
import Testing

@testable import MQTT

/// What a broker may say when it greets a client.
@Suite(.timeLimit(.minutes(2)))
struct GreetingTests {
  @Test(
    "A broker that takes only smaller packets than before gets no message that is too large, and ends no process"
  )
  func shrunk() async throws {
    let server = try ScriptedBroker { link in
      if link.number == 0 {
        try link.accept()
        try link.expectPublish()
        try link.expectPublish()
        return try link.reset()
      }
      try link.accept(sessionPresent: true, properties: [.userProperty("a", "b"), .maximumPacketSize(64)])
      try link.serve { packet in
        if case .publish(let publish) = packet { #expect(publish.topic == "small") }
        return false
      }
    }
    var options = ConnectionOptions(server)
    options.sessionExpiry = .seconds(60)
    try await withConnection(options) { connection, _ in
      let large = Publish(try Topic("large"), [UInt8](repeating: 0, count: 100), qos: .exactlyOnce)
      async let small = connection.publish(Publish(Topic("small"), "x", qos: .exactlyOnce))
      await #expect(throws: ConnectionError.publishRefused(large.topic, .packetTooLarge)) {
        try await connection.publish(large)
      }
      try #expect(await small == .acknowledged(.success))
    }
    #expect(server.failure == nil)
  }

  @Test("An acceptance with a property that does not exist is no acceptance, and ends no process")
  func unknownProperty() async throws {
    let server = try ScriptedBroker { link in
      try link.expectConnect()
      // After a first link, so that MQTT 3.1.1 is not tried at once.
      if link.number == 1 { try link.send(bytes: [0x20, 5, 0, 0, 2, 0x7E, 0]) } else { try link.accept() }
      if link.number == 0 { try link.close() } else { try link.silence() }
    }
    let connection = try Connection(ConnectionOptions(server))
    let (states, end) = record(connection)
    connection.connect()
    try await server.waitForPacket(.connect, count: 3)
    #expect(states.values.contains { words($0.cause).contains("a property that MQTT 5 does not know") })
    await connection.close(deadline: .zero)
    end.dispose()
  }

  @Test("An acceptance may come byte by byte")
  func byteByByte() async throws {
    let server = try ScriptedBroker { link in
      try link.expectConnect()
      try link.sendByteByByte(.connack(properties: [.receiveMaximum(7), .reasonString("slow")]))
      try link.send(.puback(link.expectPublish().id))
      try link.expectDisconnect()
    }
    try await withConnection(ConnectionOptions(server)) { connection, recorder in
      #expect(recorder.history.sessions[0].receiveMaximum == 7)
      try await connection.publish(Publish(Topic("t"), "x"))
    }
    try await server.finish()
  }

  @Test("A broker that goes in the middle of its answer is not waited for")
  func half() async throws {
    let server = try ScriptedBroker { link in
      try link.expectConnect()
      if link.number > 0 { return try link.silence() }
      try link.send(bytes: [0x20, 20, 0, 0])
    }
    let connection = try Connection(ConnectionOptions(server))
    let start = ContinuousClock.now
    connection.connect()
    try await server.waitForPacket(.connect, count: 2)
    // The connect deadline is a minute.
    #expect(ContinuousClock.now - start < .seconds(50))
    await connection.close(deadline: .zero)
  }
}
