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
    let isAsked = Collector<Int>()
    // A broker that takes the CONNECT and never answers.
    let server = try FakeServer { client in while client.receive() != nil { isAsked.add(1) } }
    var options = ConnectionOptions(host: "127.0.0.1", port: server.port)
    options.connectDeadline = .seconds(3_600)
    let connection = try Connection(options)
    connection.connect()
    try await eventually("not asked") { isAsked.count == 1 }
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
    let server = try FakeServer { $0.end() }
    var options = ConnectionOptions(host: "127.0.0.1", port: server.port)
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
    let expiry = Collector<UInt8>()
    let server = try FakeServer { client in
      while let packet = client.receive() {
        switch packet.type {
        // A broker that lets two seconds pass before it accepts.
        case 1:
          usleep(2_000_000)
          client.send(FakeClient.accept)
        // Topic "t", id, five bytes of properties: type, then four of seconds.
        case 3:
          expiry.add(packet.body[10])
          client.send(FakeClient.acknowledge(packet.publishID ?? 0))
        default: continue
        }
      }
    }
    var options = ConnectionOptions(host: "127.0.0.1", port: server.port)
    options.connectDeadline = .seconds(60)
    let connection = try Connection(options)
    connection.connect()
    try await connection.publish(Publish(Topic("t"), "x", properties: .init(expiry: .seconds(100))))
    #expect(expiry.values.allSatisfy { $0 <= 98 && $0 > 0 } && expiry.count == 1, "\(expiry.values)")
    await connection.close()
  }

  @Test("A message in flight when the link breaks, whose time passes before the next one, is not sent again")
  func expiresAfterCut() async throws {
    let copies = Collector<Int>()
    let server = try FakeServer { client in
      guard client.number == 0 else { return client.end() }
      while let packet = client.receive() {
        if packet.type == 1 { client.send(FakeClient.accept) }
        guard packet.type == 3 else { continue }
        copies.add(1)
        return client.end()
      }
    }
    var options = ConnectionOptions(host: "127.0.0.1", port: server.port)
    options.backoff = .init(initial: .milliseconds(1), maximum: .milliseconds(20))
    try await withConnection(options) { connection, _ in
      let topic = try Topic("t")
      await #expect(throws: ConnectionError.expired(topic)) {
        try await connection.publish(Publish(topic, "x", properties: .init(expiry: .seconds(1))))
      }
      #expect(copies.count == 1)
      await connection.close(deadline: .zero)
    }
  }
}
