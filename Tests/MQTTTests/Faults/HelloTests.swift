import Brokers
import MQTT
import Peers
import Testing

/// What a broker gets to see of a client's options.
@Suite(.timeLimit(.minutes(3)))
struct HelloTests {
  private func hello(_ broker: ScriptedBroker, _ link: Int = 0) throws -> Packet.Connect {
    guard case .connect(let connect)? = broker.received(on: link).first else { throw Surprise("no CONNECT") }
    return connect
  }

  @Test("A CONNECT says what the options say, and no more", arguments: ProtocolVersion.both)
  func plain(_ version: ProtocolVersion) async throws {
    let broker = try await heldLink(version, options: { $0.clientID = "me" }) { _ in }
    let expected = Packet.Connect(
      version: version == .v5 ? .v5 : .v311, clientID: "me", cleanStart: true, keepAlive: 60,
      properties: version == .v5 ? [.receiveMaximum(200)] : [])
    try #expect(hello(broker) == expected)
  }

  @Test("User, password, will and session are those of the options", arguments: ProtocolVersion.both)
  func everything(_ version: ProtocolVersion) async throws {
    let will = Will(
      try Topic("gone"), Array("lost".utf8), qos: .exactlyOnce, retain: true, delay: .seconds(7),
      properties: .init(contentType: "text/plain", userProperties: [.init("k", "v")]))
    let broker = try await heldLink(
      version,
      options: { options in
        options.clientID = "me"
        options.user = "alice"
        options.password = "s3cret"
        options.keepAlive = .seconds(1_234)
        options.cleanStart = false
        options.sessionExpiry = .seconds(99)
        options.maximumPacketSize = 5_000
        options.will = will
      }
    ) { _ in }
    let connect = try hello(broker)
    let isV5 = version == .v5
    #expect(connect.clientID == "me" && connect.user == "alice" && connect.password == Array("s3cret".utf8))
    #expect(connect.keepAlive == 1_234 && !connect.cleanStart)
    #expect(
      Set(connect.properties)
        == (isV5 ? [.sessionExpiry(99), .maximumPacketSize(5_000), .receiveMaximum(200)] : []))
    let sent = try #require(connect.will)
    #expect(sent.topic == "gone" && sent.payload == Array("lost".utf8) && sent.qos == 2 && sent.retain)
    #expect(
      Set(sent.properties)
        == (isV5 ? [.willDelay(7), .contentType("text/plain"), .userProperty("k", "v")] : []))
  }

  @Test(
    "The name that a broker gives to a client without one is told, and asked for anew", arguments: [1, 2])
  func assigned(_ links: Int) async throws {
    let broker = try ScriptedBroker { link in
      try link.accept(properties: [.assignedClientID("given-\(link.number)")])
      if link.number < links - 1 { return }
      try link.serve()
    }
    var options = ConnectionOptions(broker)
    options.clientID = ""
    try await withConnection(options) { _, recorder in
      try await eventually("not back") { recorder.history.sessions.count == links }
      #expect(recorder.history.sessions.map(\.clientID) == (0..<links).map { "given-\($0)" })
    }
    for link in 0..<links { try #expect(hello(broker, link).clientID == "") }
    try await broker.finish(links: links)
  }

  @Test("A name for a client that has one is against MQTT: the link ends, and the connection comes back")
  func assignedAgain() async throws {
    let broker = try ScriptedBroker { link in
      // After a first link, so that MQTT 3.1.1 is not tried at once.
      try link.accept(properties: link.number == 1 ? [.assignedClientID("other")] : [])
      if link.number == 0 { try link.close() } else { try link.serve() }
    }
    let connection = try Connection(ConnectionOptions(broker))
    let (states, end) = record(connection)
    connection.connect()
    try await connection.publish(Publish(Topic("a"), "x"))
    try await broker.waitForPacket(.connect, count: 3)
    #expect(states.values.contains { words($0.cause).contains("against MQTT") })
    await connection.close()
    try await broker.finish(links: 3)
    end.dispose()
  }

  @Test(
    "The keep-alive that a broker asks for holds: the client pings, and gives up a broker that does not answer"
  )
  func serverKeepAlive() async throws {
    let link = try await firstLink(.v5, properties: [.serverKeepAlive(1)]) { link in
      try link.expect(.pingreq)
      try link.expect(.pingreq)
      try link.silence()
    }
    #expect(words(link.cause).contains("did not answer within the keep-alive"))
  }

  @Test("A broker that takes the link and falls silent is given up within twice the keep-alive")
  func silence() async throws {
    let link = try await firstLink(.v311, options: { $0.keepAlive = .seconds(5) }) { try $0.silence() }
    #expect(words(link.cause).contains("did not answer within the keep-alive"))
  }
}
