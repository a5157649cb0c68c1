import Brokers
import MQTT
import Peers
import Testing

/// The answer to CONNECT: late, never, or no.
@Suite(.timeLimit(.minutes(3)))
struct ConnackTests {
  @Test(
    "A late CONNACK is waited for, and what was published meanwhile is sent", arguments: ProtocolVersion.both)
  func late(_ version: ProtocolVersion) async throws {
    let broker = try ScriptedBroker { link in
      try link.expectConnect()
      try link.expectNothing(for: .milliseconds(300))
      try link.accept()
      try link.serve()
    }
    let connection = try Connection(ConnectionOptions(broker, version))
    connection.connect()
    try await connection.publish(Publish(Topic("a"), "x"))
    await connection.close()
    try await broker.finish()
    #expect(broker.linkCount == 1)
  }

  @Test(
    "A CONNACK that never comes ends the attempt by its deadline, with a cause that says so, and the next one is made",
    arguments: ProtocolVersion.both)
  func never(_ version: ProtocolVersion) async throws {
    let broker = try ScriptedBroker(links: [{ try $0.silence() }, { try $0.serve() }])
    var options = ConnectionOptions(broker, version)
    options.connectDeadline = .seconds(1)
    let connection = try Connection(options)
    let (states, end) = record(connection)
    connection.connect()
    try await connection.publish(Publish(Topic("a"), "x"))
    let cause = try #require(states.values.compactMap(\.cause).first)
    #expect(
      "\(cause)"
        == "timed out: no CONNACK from 127.0.0.1:\(broker.port) within 1.0 seconds; check that a broker listens there"
    )
    await connection.close()
    try await broker.finish(links: 2)
    end.dispose()
  }

  /// What the codes of MQTT 3.1.1 (3.2.2.3) mean.
  private static let plain: [(UInt8, ReasonCode)] = [
    (1, .unsupportedProtocolVersion), (2, .clientIdentifierNotValid), (4, .badUserNameOrPassword),
    (5, .notAuthorized),
  ]

  @Test("Each lasting refusal of MQTT 3.1.1 ends the connection with its reason, once", arguments: plain)
  func refused(_ number: UInt8, _ code: ReasonCode) async throws {
    try await expectEnd(.v311, Packet.Reason(rawValue: number), code)
  }

  @Test(
    "Each lasting refusal of MQTT 5 ends the connection with its reason, once",
    arguments: [
      ReasonCode.malformedPacket, .protocolError, .clientIdentifierNotValid, .badUserNameOrPassword,
      .notAuthorized,
      .banned, .badAuthenticationMethod, .topicNameInvalid, .packetTooLarge, .payloadFormatInvalid,
      .retainNotSupported, .qosNotSupported, .serverMoved,
    ])
  func refused(_ code: ReasonCode) async throws {
    try await expectEnd(.v5, Packet.Reason(rawValue: code.rawValue), code)
  }

  /// An error that trying again does not mend says what does.
  private func expectEnd(_ version: ProtocolVersion, _ reason: Packet.Reason, _ code: ReasonCode) async throws
  {
    let broker = try ScriptedBroker { try $0.refuse(reason) }
    let connection = try Connection(ConnectionOptions(broker, version))
    let (states, end) = record(connection)
    connection.connect()
    let error = ConnectionError.refused(code)
    await #expect(throws: error) { try await connection.publish(Publish(Topic("a"), "x")) }
    try await eventually("not closed") { states.values.last == .closed(error) }
    #expect(states.count == 3, "\(states.values)")
    #expect("\(error)".contains("(\(code.rawValue)); "), "\(error)")
    try await broker.finish()
    #expect(broker.linkCount == 1)
    await connection.close()
    end.dispose()
  }

  /// Unavailable is 3 in MQTT 3.1.1.
  private static let passing: [(ProtocolVersion, UInt8, ReasonCode)] =
    [(.v311, 3, .serverUnavailable)]
    + [
      .unspecified, .implementationSpecific, .serverUnavailable, .serverBusy, .serverShuttingDown,
      .quotaExceeded,
      .useAnotherServer, .connectionRateExceeded,
    ].map { (code: ReasonCode) in (.v5, code.rawValue, code) }

  @Test("Each passing refusal is tried again, with its reason in the state", arguments: passing)
  func tryAgain(_ version: ProtocolVersion, _ number: UInt8, _ code: ReasonCode) async throws {
    let broker = try ScriptedBroker(links: [
      { try $0.refuse(Packet.Reason(rawValue: number)) }, { try $0.refuse(Packet.Reason(rawValue: number)) },
      { try $0.serve() },
    ])
    let connection = try Connection(ConnectionOptions(broker, version))
    let (states, end) = record(connection)
    connection.connect()
    try await connection.publish(Publish(Topic("a"), "x"))
    #expect(states.values.compactMap(\.cause) == [.refused(code), .refused(code)])
    await connection.close()
    try await broker.finish(links: 3)
    end.dispose()
  }

  @Test("A refusal with all that a broker may add is understood, and so is one that it does not close after")
  func wordy() async throws {
    let broker = try ScriptedBroker { link in
      try link.refuse(
        .banned,
        properties: [.reasonString("enough"), .userProperty("k", "v"), .serverReference("elsewhere:1883")])
      try link.silence()
    }
    let connection = try Connection(ConnectionOptions(broker))
    connection.connect()
    await #expect(throws: ConnectionError.refused(.banned)) {
      try await connection.publish(Publish(Topic("a"), "x"))
    }
    await connection.close()
    try await broker.finish()
  }

  @Test(
    "What comes before CONNACK, or is none, fails the attempt with a cause of one line, and the next one is made",
    arguments: [
      [0x20, 0], [0x20, 1, 0], [0x20, 5, 0, 0, 2, 1, 0], [0x20, 3, 0, 0, 9], [0x90, 3, 0, 1, 0],
      [0x30, 4, 0, 1, 0x61, 0x78], [0xD0, 0], [0xC0, 0], [0xF0, 0], [0xE0, 1, 0x89],
    ] as [[UInt8]])
  func noConnack(_ bytes: [UInt8]) async throws {
    // After a first link, so that MQTT 3.1.1 is not tried at once.
    let broker = try ScriptedBroker(links: [
      { link in
        try link.accept()
        try link.close()
      },
      { link in
        try link.expectConnect()
        try link.send(bytes: bytes)
        try link.silence()
      },
      { try $0.serve() },
    ])
    let connection = try Connection(ConnectionOptions(broker))
    let recorder = Recorder()
    let (states, end) = record(connection)
    connection.connect(delegate: recorder)
    try await connection.publish(Publish(Topic("a"), "x"))
    try await eventually("not back") { recorder.history.sessions.count == 2 }
    let causes = states.values.compactMap(\.cause)
    #expect(causes.count == 2)
    for cause in causes { #expect("\(cause)".count > 40 && !"\(cause)".contains("\n"), "\(cause)") }
    #expect(recorder.count == 0)
    await connection.close()
    try await broker.finish(links: 3)
    end.dispose()
  }
}

extension ConnectionState {
  /// Why there is a wait.
  var cause: ConnectionError? {
    if case .waiting(_, let cause) = self { cause } else { nil }
  }
}
