import Brokers
import Peers
import Signals
import Testing

@testable import MQTT

@Suite(.timeLimit(.minutes(5)))
struct SeveralBrokersTests {
  /// For a test: quick to connect again.
  private func options(_ ports: [Int], _ version: ProtocolVersion = .v5) -> ConnectionOptions {
    var options = ConnectionOptions(host: "127.0.0.1")
    options.endpoints = ports.map { .tcp(host: "127.0.0.1", port: $0) }
    options.version = version
    options.backoff = .init(initial: .milliseconds(20), maximum: .milliseconds(200))
    options.connectDeadline = .seconds(60)
    return options
  }

  private func withTwoBrokers(_ body: (LocalBroker, LocalBroker) async throws -> Void) async throws {
    try await LocalBroker.with { one in
      try await LocalBroker.with { two in try await body(one, two) }
    }
  }

  @Test(
    "A dead first host does not keep the second from being found", arguments: [ProtocolVersion.v5, .v311])
  func firstIsDead(_ version: ProtocolVersion) async throws {
    try await withTwoBrokers { dead, alive in
      await dead.kill()
      let options = options([Int(dead.port), Int(alive.port)], version)
      let connection = try Connection(options)
      let (states, end) = record(connection)
      connection.connect()
      try await connection.publish(Publish(Topic("a"), "x"))
      try await alive.waitForLog("Received PUBLISH")
      #expect(
        states.values.dropLast() == [
          .idle, .connecting(options.endpoints[0], attempt: 1), .connecting(options.endpoints[1], attempt: 2),
        ], "without a wait")
      await connection.close()
      end.dispose()
    }
  }

  @Test("When a broker dies the connection goes over to the other one, and back when that dies, too")
  func failOver() async throws {
    try await withTwoBrokers { one, two in
      let options = options([Int(one.port), Int(two.port)])
      try await withConnection(options) { connection, recorder in
        let (states, end) = record(connection)
        try await one.waitForLog("New client connected")
        await one.kill()
        try await eventually("not gone over") { recorder.history.sessions.count == 2 }
        try await connection.publish(Publish(Topic("a"), "x"))
        try await two.waitForLog("Received PUBLISH")
        try await one.restart()
        await two.kill()
        try await eventually("not gone back") { recorder.history.sessions.count == 3 }
        try await connection.publish(Publish(Topic("b"), "x"))
        try await one.waitForLog("'b'")

        let attempts = states.values.compactMap {
          if case .connecting(let host, _) = $0 { host } else { nil }
        }
        #expect(attempts.first == options.endpoints[0], "it begins with the one that it lost")
        #expect(attempts.last == options.endpoints[0])
        end.dispose()
      }
    }
  }

  @Test("When all brokers are dead, the one that comes up is found, whichever it is", arguments: [0, 1])
  func allAreDead(_ riser: Int) async throws {
    try await withTwoBrokers { one, two in
      let brokers = [one, two]
      for broker in brokers { await broker.kill() }
      let connection = try Connection(options(brokers.map { Int($0.port) }))
      let (states, end) = record(connection)
      connection.connect()
      try await eventually("never failed") {
        states.values.contains { if case .waiting(_, .unreachable) = $0 { true } else { false } }
      }
      try await brokers[riser].restart()
      try await connection.publish(Publish(Topic("a"), "x"))
      try await brokers[riser].waitForLog("Received PUBLISH")
      await connection.close()
      end.dispose()
    }
  }

  @Test("A host that refuses this user for good does not keep another from letting it in")
  func firstRefuses() async throws {
    try await LocalBroker.with(.init(users: ["ann": "other"])) { strict in
      try await LocalBroker.with(.init(users: ["ann": "right"])) { right in
        var options = options([Int(strict.port), Int(right.port)])
        options.user = "ann"
        options.password = "right"
        try await withConnection(options) { connection, _ in
          try await connection.publish(Publish(Topic("a"), "x"))
        }
        options.password = "wrong"
        let connection = try Connection(options)
        let (states, end) = record(connection)
        connection.connect()
        try await eventually("not closed") { states.values.last == .closed(.refused(.notAuthorized)) }
        #expect(states.count == 4, "each was asked once: \(states.values)")
        end.dispose()
      }
    }
  }

  @Test(
    "A broker that is silent, or names another server, is left for the next host", arguments: [false, true])
  func unwillingFirst(isSilent: Bool) async throws {
    let server = try ScriptedBroker { link in
      if isSilent { try link.silence() } else { try link.refuse(.useAnotherServer) }
    }
    try await LocalBroker.with { broker in
      var options = options([Int(server.port), Int(broker.port)])
      if isSilent { options.connectDeadline = .seconds(1) }
      try await withConnection(options) { connection, _ in
        try await connection.publish(Publish(Topic("a"), "x"))
      }
    }
  }

  @Test("A name whose first address refuses is connected to at its second")
  func secondAddress() async throws {
    try await LocalBroker.with { broker in
      let port = Int(broker.port)
      var options = options([port])
      options.endpoint = .tcp(host: "localhost", port: port)
      let connection = try Connection(options) { host, port, completion in
        completion(.success([Address(host: "::1", port: port), Address(host: "127.0.0.1", port: port)]))
      }
      let (states, end) = record(connection)
      connection.connect()
      try await connection.publish(Publish(Topic("a"), "x"))
      #expect(states.values.dropLast() == [.idle, .connecting(options.endpoint, attempt: 1)])
      await connection.close()
      end.dispose()
    }
  }

  @Test("A look-up that never ends fails its host by the deadline, and its late answer starts nothing")
  func slowLookUp() async throws {
    try await LocalBroker.with { broker in
      let port = Int(broker.port)
      let late = Collector<@Sendable () -> Void>()
      var options = options([port])
      options.endpoints = ["slow", "quick"].map { .tcp(host: $0, port: port) }
      options.connectDeadline = .seconds(1)
      let connection = try Connection(options) { host, port, completion in
        let answer = { @Sendable in completion(.success([Address(host: "127.0.0.1", port: port)])) }
        if host == "slow" { late.add(answer) } else { answer() }
      }
      let (states, end) = record(connection)
      connection.connect()
      try await connection.publish(Publish(Topic("a"), "x"))
      for answer in late.values { answer() }
      try await connection.publish(Publish(Topic("b"), "x"))
      #expect(
        states.values.dropLast() == [
          .idle, .connecting(options.endpoints[0], attempt: 1), .connecting(options.endpoints[1], attempt: 2),
        ])
      #expect(broker.log.count { $0.contains("New connection from") } == 1)
      await connection.close()
      end.dispose()
    }
  }

  @Test("A look-up that fails is tried again until the name is there")
  func failingLookUp() async throws {
    try await LocalBroker.with { broker in
      let calls = Collector<String>()
      var options = options([Int(broker.port)])
      options.endpoint = .tcp(host: "late.example", port: Int(broker.port))
      let connection = try Connection(options) { host, port, completion in
        calls.add(host)
        switch calls.count {
        case 1: completion(.failure(.unresolved(host: host, reason: "test")))
        case 2: completion(.success([]))
        default: completion(.success([Address(host: "127.0.0.1", port: port)]))
        }
      }
      let (states, end) = record(connection)
      connection.connect()
      try await connection.publish(Publish(Topic("a"), "x"))
      let causes = states.values.compactMap { if case .waiting(_, let cause) = $0 { cause } else { nil } }
      #expect(causes.count == 2)
      #expect(causes.allSatisfy { if case .unresolved = $0 { true } else { false } }, "\(causes)")
      #expect(states.values.contains(.connecting(options.endpoint, attempt: 3)))
      await connection.close()
      end.dispose()
    }
  }

  @Test("A broker that accepts the socket and never answers is named with what was waited for")
  func silentBroker() async throws {
    try await LocalBroker.with { broker in
      await broker.suspend()
      var options = options([Int(broker.port)])
      options.connectDeadline = .milliseconds(200)
      let connection = try Connection(options)
      let (states, end) = record(connection)
      connection.connect()
      try await eventually("it hangs") {
        states.values.contains { state in
          guard case .waiting(_, .timedOut(let what)) = state else { return false }
          return what.contains("no CONNACK from 127.0.0.1:\(broker.port) within 0.2 seconds")
        }
      }
      await broker.resume()
      try await connection.publish(Publish(Topic("a"), "x"))
      await connection.close()
      end.dispose()
    }
  }

  @Test("A broker that claims a session after a clean start is not believed; one that lost it is")
  func sessionClaims() async throws {
    let liar = try ScriptedBroker { link in
      try link.accept(sessionPresent: true)
      try link.serve()
    }
    try await withConnection(options([Int(liar.port)])) { _, recorder in
      let session = recorder.history.sessions[0]
      #expect(!session.isPresent && session.ignoredCleanStart)
    }
    try await LocalBroker.with { broker in
      var options = options([Int(broker.port)])
      options.sessionExpiry = .seconds(3_600)
      try await withConnection(options) { _, recorder in
        try await broker.restart()
        try await eventually("not back") { recorder.history.sessions.count == 2 }
        #expect(recorder.history.sessions.map(\.isPresent) == [false, false], "its memory was lost")
      }
    }
  }
}
