import Brokers
import Foundation
import Signals
import Peers
import Testing

@testable import MQTT

@Suite(.timeLimit(.minutes(5)))
struct LifeTests {
  @Test("A wrong password ends it with a reason, after one attempt", arguments: [ProtocolVersion.v5, .v311])
  func wrongPassword(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with(.init(users: ["alice": "right"])) { broker in
      var options = ConnectionOptions(broker, version)
      options.user = "alice"
      options.password = "wrong"
      let connection = try Connection(options)
      let (states, end) = record(connection)
      connection.connect()
      let expected: ConnectionError = .refused(.notAuthorized)
      try await eventually("not closed") { states.values.last == .closed(expected) }
      await #expect(throws: expected) { try await connection.publish(Publish(Topic("a"), "x")) }
      await #expect(throws: expected) { try await connection.subscribe([Subscribe(TopicFilter("a"))]) }
      #expect(states.values == [.idle, .connecting(options.endpoint, attempt: 1), .closed(expected)])
      await connection.close()
      end.dispose()

      options.password = "right"
      try await withConnection(options) { connection, _ in
        try await connection.publish(Publish(Topic("a"), "x"))
      }
    }
  }

  @Test(
    "A broker that starts late is found, and what waited for it arrives",
    arguments: [ProtocolVersion.v5, .v311])
  func lateBroker(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with { broker in
      await broker.kill()
      let connection = try Connection(ConnectionOptions(broker, version))
      let (states, end) = record(connection)
      connection.connect()
      try await eventually("never failed") {
        states.values.contains { if case .waiting(_, .unreachable) = $0 { true } else { false } }
      }
      let waiting = Collector<PublishResult>()
      connection.publish(Publish(try Topic("a"), "x")) { waiting.add($0) }
      await #expect(throws: ConnectionError.notConnected) {
        try await connection.publish(Publish(Topic("a"), "x", qos: .atMostOnce))
      }
      await #expect(throws: ConnectionError.notConnected) {
        try await connection.subscribe([Subscribe(TopicFilter("a"))])
      }
      #expect(waiting.count == 0)
      try await broker.restart()
      try await eventually("not sent") { waiting.values.map(\.isSuccess) == [true] }
      await connection.close()
      end.dispose()
    }
  }

  @Test("A connection through a Unix domain socket works")
  func unixSocket() async throws {
    let path = "/tmp/sb-\(UUID().uuidString.prefix(8)).sock"
    try await LocalBroker.with(.init(configuration: ["listener 0 \(path)", "allow_anonymous true"])) {
      broker in
      try await withConnection(ConnectionOptions(url: "unix://\(path)")) { connection, recorder in
        _ = try await connection.subscribe([Subscribe(TopicFilter("a"))])
        try await connection.publish(Publish(Topic("a"), "x"))
        try await eventually("nothing arrived") { recorder.texts == ["x"] }
      }
    }
    try? FileManager.default.removeItem(atPath: path)
  }

  @Test("A name is looked up, and each of its addresses is tried")
  func hostName() async throws {
    try await LocalBroker.with { broker in
      var options = ConnectionOptions(broker)
      options.endpoint = .tcp(host: "localhost", port: Int(broker.port))
      try await withConnection(options) { connection, _ in
        try await connection.publish(Publish(Topic("a"), "x"))
      }
    }
  }

  @Test("A name without an address is tried again, with the cause in the state")
  func unknownName() async throws {
    var options = ConnectionOptions(host: "nowhere.invalid")
    options.backoff = .init(initial: .milliseconds(1), maximum: .milliseconds(1))
    let connection = try Connection(options)
    let (states, end) = record(connection)
    connection.connect()
    try await eventually("no second attempt") {
      states.values.contains(.connecting(options.endpoint, attempt: 2))
    }
    #expect(states.values.contains { if case .waiting(_, .unresolved) = $0 { true } else { false } })
    await connection.close()
    end.dispose()
  }

  @Test(
    "The will is published when the process goes without goodbye, and only then", arguments: [false, true])
  func will(_ saysGoodbye: Bool) async throws {
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker)) { watcher, recorder in
        _ = try await watcher.subscribe([Subscribe(TopicFilter("#"))])
        var options = ConnectionOptions(broker)
        options.will = Will(
          try Topic("gone"), Array("lost".utf8), retain: true, properties: .init(expiry: .seconds(60)))
        let connection = try Connection(options)
        connection.connect()
        try await connection.publish(Publish(Topic("alive"), "x"))
        if saysGoodbye {
          await connection.close()
        } else {
          // A second client with the same id makes the broker throw the first one out.
          let usurper = try Connection(options)
          usurper.connect()
          try await eventually("no will") { recorder.texts.contains("lost") }
          await usurper.close()
          await connection.close()
        }
        try await watcher.publish(Publish(Topic("end"), "end"))
        try await eventually("no end") { recorder.texts.last == "end" }
        #expect(recorder.texts.contains("lost") == !saysGoodbye)
      }
    }
  }

  @Test("close sends what waits: 1,000 messages at QoS 1", arguments: [ProtocolVersion.v5, .v311])
  func closeFlushes(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with { broker in
      let connection = try Connection(ConnectionOptions(broker, version))
      let results = Collector<PublishResult>()
      for index in 0..<1_000 {
        connection.publish(Publish(try Topic("n"), "\(index)")) { results.add($0) }
      }
      connection.connect()
      await connection.close(deadline: .seconds(60))
      #expect(results.count == 1_000)
      #expect(results.values.allSatisfy { $0.isSuccess })
      #expect(broker.log.count { $0.contains("Received PUBLISH") } == 1_000)
      try await broker.waitForLog("Received DISCONNECT")
      await #expect(throws: ConnectionError.closed) {
        try await connection.publish(Publish(Topic("n"), "late"))
      }
    }
  }

  @Test("close by the deadline reports what was not sent")
  func closeGivesUp() async throws {
    try await LocalBroker.with { broker in
      await broker.kill()
      let connection = try Connection(ConnectionOptions(broker))
      let results = Collector<PublishResult>()
      connection.publish(Publish(try Topic("n"), "x")) { results.add($0) }
      connection.connect()
      await connection.close(deadline: .milliseconds(200))
      #expect(results.values == [.failed(.closed)])
    }
  }

  @Test("close works in every state and as often as one likes")
  func closeAnywhere() async throws {
    try await LocalBroker.with { broker in
      let idle = try Connection(ConnectionOptions(broker))
      let (states, end) = record(idle)
      await idle.close()
      await idle.close()
      idle.connect()
      #expect(states.values == [.idle, .closed(nil)])
      end.dispose()

      let connecting = try Connection(ConnectionOptions(broker))
      connecting.connect()
      await connecting.close()

      let connected = try Connection(ConnectionOptions(broker))
      let recorder = Recorder()
      connected.connect(delegate: recorder)
      try await eventually("no connection") { !recorder.history.sessions.isEmpty }
      await withTaskGroup { group in
        for _ in 0..<10 { group.addTask { await connected.close() } }
      }
      #expect(recorder.history.causes == [nil])
    }
  }

  @Test("A dropped connection says goodbye and its thread ends")
  func dropped() async throws {
    try await LocalBroker.with { broker in
      let recorder = Recorder()
      var connection: Connection? = try Connection(ConnectionOptions(broker))
      weak let mailbox = connection?.mailbox
      connection?.connect(delegate: recorder)
      try await eventually("no connection") { !recorder.history.sessions.isEmpty }
      connection = nil
      try await broker.waitForLog("Received DISCONNECT")
      try await eventually("the thread lives on") { mailbox == nil }
    }
  }

  @Test("The last reference may go inside a handler")
  func droppedInHandler() async throws {
    try await LocalBroker.with { broker in
      let held = Collector<Int>()
      final class Holder: Sendable {
        let connection = Lock<Connection?>(nil)
      }
      let keeper = Holder()
      let recorder = Recorder { _ in
        let last = keeper.connection.withLock { connection in
          defer { connection = nil }
          return connection
        }
        if last != nil { held.add(1) }
      }
      try await { () async throws in
        let connection = try Connection(ConnectionOptions(broker))
        keeper.connection.withLock { $0 = connection }
        connection.connect(delegate: recorder)
        try await eventually("no connection") { !recorder.history.sessions.isEmpty }
        _ = try await connection.subscribe([Subscribe(TopicFilter("a"))])
      }()
      _ = try await runClient("mosquitto_pub", broker, ["-t", "a", "-m", "x"])
      try await broker.waitForLog("Received DISCONNECT from sb-")
      #expect(held.count == 1)
    }
  }

  @Test("An idle connection sleeps between its pings")
  func idle() async throws {
    try await LocalBroker.with { broker in
      var options = ConnectionOptions(broker)
      options.keepAlive = .seconds(5)
      try await withConnection(options) { connection, _ in
        try await connection.publish(Publish(Topic("a"), "x"))
        let before = connection.mailbox.loopCount
        try await broker.waitForLog("Received PINGREQ")
        try await broker.waitForLog("Received PINGREQ", count: 2)
        let rounds = connection.mailbox.loopCount - before
        // Each ping is two rounds: one for its time, one for the answer.
        #expect(rounds <= 8, "\(rounds) rounds for 2 pings")
      }
    }
  }
}
