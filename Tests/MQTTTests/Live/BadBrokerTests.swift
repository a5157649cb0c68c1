import Peers
import Signals
import Testing

@testable import MQTT

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a broker should not do, and what may not come of it.
@Suite(.timeLimit(.minutes(5)))
struct BadBrokerTests {
  private func options(_ server: FakeServer) -> ConnectionOptions {
    var options = ConnectionOptions(host: "127.0.0.1", port: server.port)
    options.backoff = .init(initial: .milliseconds(1), maximum: .milliseconds(20))
    options.connectDeadline = .seconds(60)
    return options
  }

  @Test("A second CONNACK ends the link instead of connecting twice")
  func secondConnack() async throws {
    let server = try FakeServer {
      $0 == 0 ? FakeClient.accept + FakeClient.accept : FakeClient.accept
    }
    try await withConnection(options(server)) { connection, recorder in
      try await eventually("not back") { recorder.history.sessions.count == 2 }
      #expect(recorder.history.causes.count == 1)
    }
  }

  @Test("A broker that takes no message at all is no broker, not a publish that hangs")
  func noReceiveMaximum() async throws {
    let server = try FakeServer {
      $0 == 0 ? [0x20, 6, 0, 0, 3, 0x21, 0, 0] : FakeClient.accept
    }
    let connection = try Connection(options(server))
    let (states, end) = record(connection)
    connection.connect()
    try await eventually("connected for ever") {
      states.values.contains { if case .waiting = $0 { true } else { false } }
    }
    await connection.close(deadline: .zero)
    end.dispose()
  }

  @Test("A message id is not used a second time while its message flies, whatever else goes out meanwhile")
  func idsInFlight() async throws {
    let ids = Collector<Int>()
    let server = try FakeServer { client in
      while let packet = client.receive() {
        switch packet.type {
        case 1: client.send(FakeClient.accept)
        case 8: client.send([0x90, 4] + packet.id + [0, 0])
        case 10: client.send(FakeClient.acknowledge(ids.values[0]) + [0xB0, 4] + packet.id + [0, 0])
        default:
          guard let id = packet.publishID else { continue }
          ids.add(id)
          if ids.count > 1 { client.send(FakeClient.acknowledge(id)) }
        }
      }
    }
    try await withConnection(options(server)) { connection, _ in
      let topic = try Topic("t")
      let results = Collector<PublishResult>()
      connection.publish(Publish(topic, "first")) { results.add($0) }
      // Message ids are 1 to 65,535, so that the one after these is the first again.
      for _ in 0..<65_534 { connection.publish(Publish(topic, "between", qos: .atMostOnce), completion: nil) }
      connection.publish(Publish(topic, "last")) { results.add($0) }
      // Each answer is at least a round of the loop, enough of them for all that it would send.
      for _ in 0..<1_100 { _ = try await connection.subscribe([Subscribe(TopicFilter("f"))]) }
      #expect(ids.count == 1)
      try await connection.unsubscribe([TopicFilter("f")])
      try await eventually("it hangs") { results.count == 2 }
      #expect(results.values.allSatisfy { $0.isSuccess })
    }
  }

  @Test("10,000 unanswered subscribes end at once when the link breaks")
  func manyRequests() async throws {
    let seen = Collector<Int>()
    let server = try FakeServer { client in
      while let packet = client.receive() {
        if packet.type == 1 { client.send(FakeClient.accept) }
        if packet.type == 8 { seen.add(1) }
        if seen.count == 10_000 { break }
      }
      client.end()
    }
    try await withConnection(options(server)) { connection, recorder in
      let failures = Collector<Int>()
      for index in 0..<10_000 {
        connection.subscribe([Subscribe(try TopicFilter("t/\(index)"), identifier: UInt32(index + 1))]) { _ in
          failures.add(index)
        }
      }
      try await eventually("not sent") { seen.count == 10_000 }
      let start = ContinuousClock.now
      try await eventually("they hang") { failures.count == 10_000 }
      #expect(ContinuousClock.now - start < .seconds(4), "the thread was busy with them for too long")
    }
  }

  @Test("An answer that came in time counts, even when a slow handler lets nobody see it until later")
  func answerBehindSlowHandler() async throws {
    let isBusy = Lock(false)
    let server = try FakeServer { client in
      while let packet = client.receive() {
        if packet.type == 1 { client.send(FakeClient.accept) }
        guard packet.type == 8 else { continue }
        client.send([0x30, 5, 0, 1, 0x61, 0, 0x78])
        while !isBusy.withLock({ $0 }) { usleep(1_000) }
        client.send([0x90, 4] + packet.id + [0, 1])
      }
    }
    var options = options(server)
    options.acknowledgementDeadline = .seconds(1)
    let slow = Recorder { _ in
      isBusy.withLock { $0 = true }
      usleep(1_500_000)
    }
    try await withConnection(options, slow) { connection, _ in
      try #expect(await connection.subscribe([Subscribe(TopicFilter("a"))]) == [.granted(.atLeastOnce)])
    }
  }

  @Test("A broker that asks for a short keep-alive is pinged in time: it waits for half of it more")
  func shortKeepAlive() async throws {
    let times = Collector<ContinuousClock.Instant>()
    let server = try FakeServer { client in
      while let packet = client.receive() {
        times.add(.now)
        if packet.type == 1 { client.send([0x20, 6, 0, 0, 3, 0x13, 0, 2]) }
        if packet.type == 12 { client.send([0xD0, 0]) }
      }
    }
    try await withConnection(options(server)) { connection, recorder in
      #expect(recorder.history.sessions[0].keepAlive == .seconds(2))
      try await eventually("no pings") { times.count >= 4 }
      // On a busy machine one of them may be late by itself.
      let pauses = zip(times.values, times.values.dropFirst()).map { $1 - $0 }
      #expect(pauses.min()! < .milliseconds(2_900), "\(pauses)")
    }
  }

  @Test("Who publishes as soon as the state is connected is connected")
  func publishAtConnected() async throws {
    let server = try FakeServer { _ in FakeClient.accept }
    let connection = try Connection(options(server))
    let results = Collector<PublishResult>()
    let topic = try Topic("t")
    let end = connection.states.subscribe { [weak connection] state in
      guard case .connected = state else { return }
      connection?.publish(Publish(topic, "x", qos: .atMostOnce)) { results.add($0) }
    }
    connection.connect()
    try await eventually("no result") { results.count == 1 }
    #expect(results.values == [.sent])
    await connection.close(deadline: .zero)
    end.dispose()
  }

  @Test("A settled message and its completion are let go")
  func letsGo() async throws {
    final class Token: Sendable {}
    let server = try FakeServer { client in
      while let packet = client.receive() {
        if packet.type == 1 { client.send(FakeClient.accept) }
        if let id = packet.publishID { client.send(FakeClient.acknowledge(id)) }
      }
    }
    try await withConnection(options(server)) { connection, _ in
      for qos in [QoS.atMostOnce, .atLeastOnce] {
        let isDone = Collector<Int>()
        weak var weakToken: Token?
        do {
          let token = Token()
          weakToken = token
          connection.publish(Publish(try Topic("t"), "x", qos: qos)) { _ in
            _ = token
            isDone.add(1)
          }
        }
        try await eventually("not done") { isDone.count == 1 }
        try await eventually("\(qos) held") { weakToken == nil }
      }
    }
  }

  @Test("A child process does not inherit the link, which would keep it open and the will unsaid")
  func notInherited() async throws {
    let server = try FakeServer { _ in FakeClient.accept }
    try await withConnection(options(server)) { connection, _ in
      let links = (0..<1_024).filter { peerPort($0) == server.port }
      #expect(links.count == 1)
      #expect(links.allSatisfy { fcntl($0, F_GETFD) == FD_CLOEXEC })
    }
  }

  private func peerPort(_ descriptor: Int32) -> Int? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
    }
    return code == 0 ? Int(UInt16(bigEndian: address.sin_port)) : nil
  }
}
