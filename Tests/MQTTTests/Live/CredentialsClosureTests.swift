import Brokers
import Peers
import Signals
import Testing

@testable import MQTT

@Suite(.timeLimit(.minutes(5)))
struct CredentialsClosureTests {
  private struct Vault: Error, CustomStringConvertible { let description = "the vault is sealed" }

  private func causes(_ states: Collector<ConnectionState>) -> [ConnectionError] {
    states.values.compactMap { if case .waiting(_, let cause) = $0 { cause } else { nil } }
  }

  @Test(
    "A token that the broker no longer takes is asked for again until it does, and the connection comes back",
    arguments: [ProtocolVersion.v5, .v311])
  func expiredToken(_ version: ProtocolVersion) async throws {
    let old = try await LocalBroker.start(.init(users: ["ann": "one"]))
    let token = Lock("one")
    var options = ConnectionOptions(old, version)
    options.credentials = { Credentials(user: "ann", password: token.withLock { $0 }) }
    try await withConnection(options) { connection, recorder in
      let (states, end) = record(connection)
      await old.stop()
      try await LocalBroker.with(.init(port: old.port, users: ["ann": "two"])) { new in
        try await eventually("the old token is not refused") {
          causes(states).contains(.refused(.notAuthorized))
        }
        token.withLock { $0 = "two" }
        try await eventually("not back") { recorder.history.sessions.count == 2 }
        try await connection.publish(Publish(Topic("a"), "x"))
        try await new.waitForLog("Received PUBLISH")
        await connection.close()
      }
      end.dispose()
    }
  }

  @Test("A closure that throws is asked again, and the state says why")
  func throwing() async throws {
    try await LocalBroker.with(.init(users: ["ann": "right"])) { broker in
      let isSealed = Lock(true)
      var options = ConnectionOptions(broker)
      options.credentials = {
        if isSealed.withLock({ $0 }) { throw Vault() }
        return Credentials(user: "ann", password: "right")
      }
      let connection = try Connection(options)
      let (states, end) = record(connection)
      connection.connect()
      try await eventually("no cause") {
        causes(states).count { $0 == .credentialsUnavailable("the vault is sealed") } >= 2
      }
      isSealed.withLock { $0 = false }
      try await connection.publish(Publish(Topic("a"), "x"))
      await connection.close()
      end.dispose()
    }
  }

  @Test("A closure that hangs fails the attempt by the deadline and is cancelled; so it is by a close")
  func hanging() async throws {
    try await LocalBroker.with { broker in
      let calls = Collector<Int>()
      let cancelled = Collector<Int>()
      var options = ConnectionOptions(broker)
      options.connectDeadline = .milliseconds(100)
      options.credentials = {
        calls.add(calls.count)
        do { try await Task.sleep(for: .seconds(3_600)) } catch { cancelled.add(cancelled.count) }
        return Credentials(user: "late")
      }
      let connection = try Connection(options)
      let (states, end) = record(connection)
      connection.connect()
      try await eventually("it hangs") {
        causes(states).contains {
          if case .timedOut(let what) = $0 { what.contains("credentials") } else { false }
        }
      }
      try await eventually("not cancelled") { cancelled.count >= 1 && calls.count >= 2 }
      await connection.close(deadline: .zero)
      try await eventually("one is left behind") { cancelled.count == calls.count }
      #expect(!broker.log.contains { $0.contains("New client connected") })
      end.dispose()
    }
  }

  @Test("The closure never runs on the connection's thread")
  func elsewhere() async throws {
    try await LocalBroker.with { broker in
      let names = Collector<String>()
      var options = ConnectionOptions(broker)
      options.credentials = {
        names.add(threadName())
        return Credentials(user: "ann")
      }
      try await withConnection(options) { connection, _ in
        try await connection.publish(Publish(Topic("a"), "x"))
      }
      #expect(names.count == 1 && names.values.allSatisfy { !$0.hasPrefix("mqtt") }, "\(names.values)")
      #expect(startThread("mqtt") { names.add(threadName()) })
      try await eventually("no name") { names.count == 2 }
      #expect(names.values[1].hasPrefix("mqtt"), "otherwise the names tell nothing")
    }
  }
}
