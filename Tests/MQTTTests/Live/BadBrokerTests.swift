import Brokers
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
  @Test("A second CONNACK ends the link instead of connecting twice")
  func secondConnack() async throws {
    let server = try ScriptedBroker { link in
      try link.expectConnect()
      if link.number == 0 { try link.send(.connack(), .connack()) } else { try link.accept() }
      try link.silence()
    }
    try await withConnection(ConnectionOptions(server)) { connection, recorder in
      try await eventually("not back") { recorder.history.sessions.count == 2 }
      #expect(recorder.history.causes.count == 1)
    }
  }

  @Test("A broker that takes no message at all in MQTT 5 is asked for 3.1.1, where no publish hangs")
  func noReceiveMaximum() async throws {
    let server = try ScriptedBroker { link in
      let connect = try link.expectConnect()
      try link.accept(properties: connect.version == .v5 ? [.receiveMaximum(0)] : [])
      try link.serve()
    }
    try await withConnection(ConnectionOptions(server)) { connection, recorder in
      #expect(recorder.history.sessions[0].fallback == .unanswered)
      try await connection.publish(Publish(Topic("t"), "x"))
    }
  }

  @Test("A message id is not used a second time while its message flies, whatever else goes out meanwhile")
  func idsInFlight() async throws {
    let ids = Collector<UInt16>()
    let server = try ScriptedBroker { link in
      try link.serve { packet in
        switch packet {
        case .publish(let publish) where publish.qos == 1:
          ids.add(publish.id)
          return ids.count == 1
        case .unsubscribe:
          try link.send(.puback(ids.values[0]))
          return false
        default: return false
        }
      }
    }
    try await withConnection(ConnectionOptions(server)) { connection, _ in
      let topic = try Topic("t")
      let results = Collector<PublishResult>()
      connection.publish(Publish(topic, "first")) { results.add($0) }
      // Message ids are 1 to 65,535, so that the one after these is the first again.
      for _ in 0..<65_534 { connection.send(Publish(topic, "between", qos: .atMostOnce)) }
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
    let server = try ScriptedBroker { link in
      try link.accept()
      for _ in 0..<10_000 {
        try link.expectSubscribe()
        seen.add(1)
      }
      try link.close()
    }
    try await withConnection(ConnectionOptions(server)) { connection, recorder in
      let failures = Collector<Int>()
      for index in 0..<10_000 {
        connection.subscribe([Subscribe(try TopicFilter("t/\(index)"), identifier: UInt32(index + 1))]) { _ in
          failures.add(index)
        }
      }
      try await eventually("not sent") { seen.count == 10_000 }
      let start = ContinuousClock.now
      try await eventually("they hang") { failures.count == 10_000 }
      #expect(ContinuousClock.now - start < .seconds(40), "the thread was busy with them for too long")
    }
  }

  @Test("An answer that came in time counts, even when a slow handler lets nobody see it until later")
  func answerBehindSlowHandler() async throws {
    let isBusy = Lock(false)
    let server = try ScriptedBroker { link in
      try link.accept()
      let subscribe = try link.expectSubscribe(to: "a")
      try link.send(.publish("a", "x"))
      try link.wait(for: "the handler to be busy") { isBusy.withLock { $0 } }
      try link.send(.suback(subscribe.id, [.granted(1)]))
      try link.expectDisconnect()
    }
    var options = ConnectionOptions(server)
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
    let server = try ScriptedBroker { link in
      try link.accept(properties: [.serverKeepAlive(2)])
      times.add(.now)
      try link.serve { _ in
        times.add(.now)
        return false
      }
    }
    try await withConnection(ConnectionOptions(server)) { connection, recorder in
      #expect(recorder.history.sessions[0].keepAlive == .seconds(2))
      try await eventually("no pings") { times.count >= 4 }
      // On a busy machine one of them may be late by itself.
      let pauses = zip(times.values, times.values.dropFirst()).map { $1 - $0 }
      #expect(pauses.min()! < .milliseconds(2_900), "\(pauses)")
    }
  }

  @Test("Who publishes as soon as the state is connected is connected")
  func publishAtConnected() async throws {
    let server = try ScriptedBroker { try $0.serve() }
    let connection = try Connection(ConnectionOptions(server))
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
    let server = try ScriptedBroker { try $0.serve() }
    try await withConnection(ConnectionOptions(server)) { connection, _ in
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
    let server = try ScriptedBroker { try $0.serve() }
    try await withConnection(ConnectionOptions(server)) { connection, _ in
      let links = (0..<1_024).filter { peerPort($0) == Int(server.port) }
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
