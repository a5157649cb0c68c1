import Brokers
import MQTT
import Peers
import Signals
import Testing

/// Brokers of MQTT 3.1.1 that do not say so, and brokers of MQTT 5 that only seem to be such.
@Suite(.timeLimit(.minutes(3)))
struct UnansweredVersionTests {
  @Test(
    "A broker that closes the link at MQTT 5 is connected to in 3.1.1 without a wait, and the state says so")
  func closes() async throws {
    let server = try ScriptedBroker { link in
      guard try link.expectConnect().version == .v311 else { return try link.close() }
      try link.accept()
      try link.serve()
    }
    var options = ConnectionOptions(server)
    // A wait would fail the test.
    options.backoff = .init(initial: .seconds(3_600), maximum: .seconds(3_600), jitter: 0)
    let connection = try Connection(options)
    let (states, end) = record(connection)
    connection.connect()
    try await eventually("not connected") { states.values.last?.isConnected == true }
    try await connection.publish(Publish(Topic("t"), "x"))
    #expect(
      states.values.last.map { "\($0)" } == "connected, MQTT 3.1.1 (the broker did not answer in MQTT 5)")
    #expect(server.linkCount == 2)
    await connection.close()
    end.dispose()
  }

  @Test("A broker that is silent at MQTT 5 is connected to in 3.1.1 with the second attempt")
  func silent() async throws {
    let server = try ScriptedBroker { link in
      guard try link.expectConnect().version == .v311 else { return try link.silence() }
      try link.accept()
      try link.serve()
    }
    var options = ConnectionOptions(server)
    options.connectDeadline = .seconds(2)
    try await withConnection(options) { _, recorder in
      #expect(recorder.history.sessions[0].version == .v311)
      #expect(recorder.history.sessions[0].fallback == .unanswered)
    }
  }

  @Test(
    "A short refusal of MQTT 3.1.1 is understood, by its words or as what is no packet of MQTT 5",
    arguments: [(1, .refused), (5, .unanswered)] as [(UInt8, Session.Fallback)])
  func shortRefusal(_ code: UInt8, _ fallback: Session.Fallback) async throws {
    let server = try ScriptedBroker { link in
      guard try link.expectConnect().version == .v311 else {
        try link.send(bytes: [0x20, 0x02, 0x00, code])
        return try link.close()
      }
      try link.accept()
      try link.serve()
    }
    try await withConnection(ConnectionOptions(server)) { _, recorder in
      #expect(recorder.history.sessions[0].version == .v311)
      // Libraries from 2.0.20 on do not know the words.
      let seen = recorder.history.sessions[0].fallback
      #expect(seen == fallback || seen == .unanswered)
    }
  }

  @Test("A broker of MQTT 5 that closes links while it starts up is not kept in 3.1.1")
  func startsUp() async throws {
    let isUp = Lock(false)
    let server = try ScriptedBroker { link in
      let connect = try link.expectConnect()
      switch link.number {
      case 0..<4: return try link.close()
      // It is up between the question for MQTT 5 and that for 3.1.1.
      case 4 where connect.version == .v5: return try link.close()
      case 5:
        try link.accept()
        try link.wait(for: "the end of the first link") { isUp.withLock { $0 } }
        return try link.close()
      default:
        try link.accept()
        try link.serve()
      }
    }
    try await withConnection(ConnectionOptions(server)) { _, recorder in
      #expect(recorder.history.sessions[0].fallback == .unanswered)
      isUp.withLock { $0 = true }
      try await eventually("not back") { recorder.history.sessions.count == 2 }
      #expect(recorder.history.sessions[1].version == .v5 && !recorder.history.sessions[1].isFallback)
    }
  }
}

extension ConnectionState {
  fileprivate var isConnected: Bool { if case .connected = self { true } else { false } }
}
