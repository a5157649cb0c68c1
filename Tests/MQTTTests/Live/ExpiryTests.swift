import Signals
import Brokers
import Foundation
import MQTT
import Peers
import Testing

@Suite(.timeLimit(.minutes(3)))
struct ExpiryTests {
  @Test(
    "A message whose time passes while there is no connection is not sent, and its caller is told before there is one",
    arguments: [ProtocolVersion.v5, .v311])
  func expiresOffline(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with { broker in
      let options = ConnectionOptions(broker, version)
      try await withConnection(options) { connection, recorder in
        await broker.kill()
        try await eventually("the death went unnoticed") { recorder.history.causes.count == 1 }
        let topic = try Topic("t")
        let results = Collector<String>()
        for (name, expiry) in [("none", nil), ("late", .seconds(3_600)), ("soon", .milliseconds(200))]
          as [(String, Duration?)]
        {
          connection.publish(Publish(topic, name, properties: .init(expiry: expiry))) {
            results.add("\(name) \($0 == .expired ? "expired" : $0.isSuccess ? "sent" : "\($0)")")
          }
        }
        try await eventually("nobody was told") { results.count == 1 }
        #expect(results.values == ["soon expired"])
        await #expect(throws: ConnectionError.expired(topic)) {
          try await connection.publish(Publish(topic, "x", properties: .init(expiry: .milliseconds(1))))
        }
        try await broker.restart()
        try await eventually("not sent") { results.count == 3 }
        #expect(results.values == ["soon expired", "none sent", "late sent"])
      }
    }
  }

  @Test("A connection that has nothing else to wake up for wakes up for what expires")
  func wakesUp() async throws {
    // A broker that takes the CONNECT and never answers.
    let server = try ScriptedBroker { try $0.silence() }
    var options = ConnectionOptions(server)
    options.connectDeadline = .seconds(3_600)
    let connection = try Connection(options)
    connection.connect()
    try await server.waitForPacket(.connect)
    let results = Collector<String>()
    for expiry in [600, 1, 2] {
      let publish = Publish(try Topic("t"), "x", properties: .init(expiry: .milliseconds(expiry * 100)))
      connection.publish(publish) { results.add("\(expiry) \($0)") }
    }
    try await eventually("it sleeps on") { results.count == 2 }
    #expect(results.values == ["1 expired", "2 expired"])
    await connection.close(deadline: .zero)
  }

  @Test("An expired message makes room in a full outbox")
  func makesRoom() async throws {
    // Nobody listens here, so everything waits.
    let server = try ScriptedBroker(reception: .refusing) { try $0.serve() }
    var options = ConnectionOptions(server)
    options.outboxLimits.count = 1
    let connection = try Connection(options)
    let results = Collector<PublishResult>()
    let topic = try Topic("t")
    // Not even the thread has been started.
    connection.publish(Publish(topic, "1", properties: .init(expiry: .milliseconds(10)))) { results.add($0) }
    try await eventually("no room") {
      let tries = Collector<PublishResult>()
      connection.publish(Publish(topic, "2")) { tries.add($0) }
      return tries.values != [.overflowed]
    }
    #expect(results.values == [.expired])
    await connection.close(deadline: .zero)
  }

  @Test("What waited is sent with the time that is left, so that the broker does not keep it for longer")
  func timeLeft() async throws {
    let expiry = Collector<UInt32>()
    // A broker that lets two seconds pass before it accepts.
    let server = try ScriptedBroker { link in
      try link.expectConnect()
      try link.pause(for: .seconds(2))
      try link.accept()
      try link.serve { packet in
        guard case .publish(let publish) = packet else { return false }
        for case .messageExpiry(let seconds) in publish.properties { expiry.add(seconds) }
        return false
      }
    }
    var options = ConnectionOptions(server)
    options.connectDeadline = .seconds(60)
    let connection = try Connection(options)
    connection.connect()
    try await connection.publish(Publish(Topic("t"), "x", properties: .init(expiry: .seconds(100))))
    #expect(expiry.values.allSatisfy { $0 <= 98 && $0 > 0 } && expiry.count == 1, "\(expiry.values)")
    await connection.close()
  }

  @Test("A message in flight when the link breaks, whose time passes before the next one, is not sent again")
  func expiresAfterCut() async throws {
    let server = try ScriptedBroker { link in
      guard link.number == 0 else { return }
      try link.accept()
      try link.expectPublish()
    }
    try await withConnection(ConnectionOptions(server)) { connection, _ in
      let topic = try Topic("t")
      await #expect(throws: ConnectionError.expired(topic)) {
        try await connection.publish(Publish(topic, "x", properties: .init(expiry: .seconds(1))))
      }
      #expect(server.received.count { $0.packet.kind == .publish } == 1)
      await connection.close(deadline: .zero)
    }
  }
}
