import Brokers
import MQTT
import Peers
import Testing

/// What else may listen at a port that somebody took for the broker's.
@Suite(.timeLimit(.minutes(3)))
struct ForeignServerTests {
  private static let answer = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"
  private static let webServer = "a web server answers, not a broker; name the broker's port"
  private static let stranger = "what answers does not speak MQTT"

  @Test(
    "A web server is named as one, also when it closes at once and when its answer comes in pieces",
    arguments: [false, true], ProtocolVersion.both)
  func webServer(_ isSplit: Bool, _ version: ProtocolVersion) async throws {
    let server = try ScriptedBroker { link in
      try link.expectConnect()
      try isSplit
        ? link.sendSplit(bytes: Array(Self.answer.utf8), at: [1, 3])
        : link.send(bytes: Array(Self.answer.utf8))
    }
    let error = try await firstFailure(ConnectionOptions(server, version))
    #expect("\(error)".contains(Self.webServer), "\(error)")
    #expect("\(error)".hasPrefix("can't connect to 127.0.0.1:\(server.port): "))
  }

  @Test(
    "Services that speak first, or speak something else, are told apart from a broker",
    arguments: [
      Array("SSH-2.0-OpenSSH_9.2p1\r\n".utf8), Array("220 mail.example ESMTP\r\n".utf8),
      Array("+OK ready\r\n".utf8), [0, 0, 0, 0, 0, 0, 0, 0], [0xFF, 0xFF, 0xFF],
    ] as [[UInt8]])
  func others(_ banner: [UInt8]) async throws {
    let server = try ScriptedBroker { link in
      try link.send(bytes: banner)
      try link.silence()
    }
    let error = try await firstFailure(ConnectionOptions(server))
    #expect("\(error)".contains(Self.stranger), "\(error)")
  }

  @Test("A web server with TLS is named as one")
  func secureWebServer() async throws {
    let server = try ScriptedBroker { link in
      try link.expectConnect()
      try link.send(bytes: Array(Self.answer.utf8))
      try link.silence()
    }
    let door = try SecureDoor(Certificates.all.server, to: server.port)
    var options = ConnectionOptions(host: "localhost", port: Int(door.port))
    options.tls = .trusting
    options.backoff = .init(initial: .milliseconds(20), maximum: .milliseconds(200))
    let connection = try Connection(options)
    let (states, end) = record(connection)
    connection.connect()
    // The door may not be open yet at the first attempt.
    try await eventually("not told: \(states.values)") {
      states.values.contains { $0.cause.map { "\($0)".contains(Self.webServer) } ?? false }
    }
    await connection.close(deadline: .zero)
    end.dispose()
  }

  @Test("A server that closes without a word is a lost link with a hint")
  func silentClose() async throws {
    let server = try ScriptedBroker { try $0.expectConnect() }
    let error = try await firstFailure(ConnectionOptions(server))
    #expect(
      "\(error)".contains("the broker closed it without an answer; if it speaks TLS there, use mqtts://"))
  }

  @Test("A server that resets the link is told by that")
  func reset() async throws {
    let server = try ScriptedBroker { link in
      try link.expectConnect()
      try link.reset()
    }
    guard case .linkLost = try await firstFailure(ConnectionOptions(server)) else {
      return #expect(Bool(false))
    }
  }
}
