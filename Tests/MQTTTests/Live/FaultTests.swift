import Brokers
import MQTT
import Signals
import Peers
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FaultTests {
  @Test(
    "A killed and restarted broker loses no QoS 1 message that it had not acknowledged, in order",
    arguments: [ProtocolVersion.v5, .v311])
  func killedBroker(_ version: ProtocolVersion) async throws {
    // The subscriber's session is kept on disk, so it is there before the publisher is back.
    try await LocalBroker.with(.init(storage: .temporary, configuration: ["max_queued_messages 0"])) {
      broker in
      var subscribing = ConnectionOptions(broker, version)
      subscribing.sessionExpiry = .seconds(3_600)
      subscribing.cleanStart = false
      try await withConnection(subscribing) { subscriber, recorder in
        _ = try await subscriber.subscribe([Subscribe(TopicFilter("n"))])
        try await broker.restart()
        try await eventually("no second session") { recorder.history.sessions.count == 2 }
        #expect(recorder.history.sessions[1].isPresent)

        try await withConnection(ConnectionOptions(broker, version)) { publisher, publishing in
          let topic = try Topic("n")
          let results = Collector<Int>()
          let failures = Collector<PublishResult>()
          let publish = { @Sendable (range: Range<Int>) in
            for index in range {
              publisher.publish(Publish(topic, "\(index)")) { result in
                results.add(index)
                if !result.isSuccess { failures.add(result) }
              }
            }
          }
          publish(0..<500)
          try await eventually("no acknowledgement") { results.count > 100 }
          await broker.suspend()
          publish(500..<1_000)
          await broker.kill()
          try await eventually("the death went unnoticed") {
            publishing.history.causes.count == 1 && recorder.history.causes.count == 2
          }
          let acknowledged = results.count
          let received = recorder.count
          #expect(acknowledged < 1_000)
          publish(1_000..<1_200)
          try await broker.restart()

          try await eventually("not all acknowledged") { results.count == 1_200 }
          #expect(results.values == Array(0..<1_200))
          #expect(failures.count == 0)
          try await eventually("not all delivered") { recorder.texts.last == "1199" }
          let after = recorder.texts.dropFirst(received).compactMap { Int($0) }
          #expect(after == Array(acknowledged..<1_200))
        }
      }
    }
  }

  @Test("Offline, only what the outbox holds is kept, and the rest is refused to the caller at once")
  func offlineIsBounded() async throws {
    try await LocalBroker.with { broker in
      var options = ConnectionOptions(broker)
      options.outboxLimits.count = 100
      try await withConnection(options) { connection, recorder in
        await broker.kill()
        try await eventually("the death went unnoticed") { recorder.history.causes.count == 1 }
        let topic = try Topic("n")
        let results = Collector<PublishResult>()
        for index in 0..<150 { connection.publish(Publish(topic, "\(index)")) { results.add($0) } }
        #expect(results.values == Array(repeating: .overflowed, count: 50))
        try await broker.restart()
        try await eventually("not sent") { results.count == 150 }
        #expect(results.values.dropFirst(50).allSatisfy { $0.isSuccess })
      }
    }
  }

  @Test("A broker that stops answering blocks nobody; when it goes on, all is acknowledged")
  func haltedBroker() async throws {
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker)) { connection, recorder in
        try await connection.publish(Publish(Topic("n"), "first"))
        await broker.suspend()
        let topic = try Topic("n")
        let results = Collector<PublishResult>()
        let payload = [UInt8](repeating: 0, count: 20_000)
        for index in 0..<1_000 {
          connection.publish(Publish(topic, payload, qos: index % 2 == 0 ? .atLeastOnce : .atMostOnce)) {
            results.add($0)
          }
        }
        #expect(results.count < 1_000)
        await broker.resume()
        try await eventually("not all acknowledged") { results.count == 1_000 }
        #expect(results.values.allSatisfy { $0.isSuccess })
        #expect(recorder.history.causes.isEmpty)
      }
    }
  }

  @Test("A subscribe that the broker does not answer fails by its deadline")
  func unansweredSubscribe() async throws {
    try await LocalBroker.with { broker in
      var options = ConnectionOptions(broker)
      options.acknowledgementDeadline = .milliseconds(100)
      try await withConnection(options) { connection, _ in
        await broker.suspend()
        let error = await #expect(throws: ConnectionError.self) {
          try await connection.subscribe([Subscribe(TopicFilter("a"))])
        }
        if case .timedOut = error {} else { Issue.record("\(String(describing: error))") }
        await broker.resume()
      }
    }
  }

  @Test("A subscribe that the link breaks under fails instead of hanging")
  func brokenSubscribe() async throws {
    try await LocalBroker.with { broker in
      try await withConnection(ConnectionOptions(broker)) { connection, _ in
        await broker.suspend()
        let outcome = Collector<ConnectionError?>()
        connection.subscribe([Subscribe(try TopicFilter("a"))]) { result in
          if case .failure(let error) = result { outcome.add(error) } else { outcome.add(nil) }
        }
        await broker.kill()
        try await eventually("it hangs") { outcome.count == 1 }
        // Whether it was written before the loop saw the death is chance.
        switch outcome.values[0] {
        case .linkLost, .notConnected: break
        case let other: Issue.record("\(String(describing: other))")
        }
        try await broker.restart()
      }
    }
  }

  @Test("A broker of MQTT 3.1.1 that refuses MQTT 5 is spoken to in its own version, and the state says so")
  func fallback() async throws {
    let server = try ScriptedBroker(links: [
      { link in
        try link.expectConnect()
        link.version = .v311
        try link.refuse(1)
      },
      { try $0.serve() },
    ])
    try await withConnection(ConnectionOptions(server)) { connection, recorder in
      let session = recorder.history.sessions[0]
      #expect(session.version == .v311 && session.isFallback && !session.hasSubscriptionIdentifiers)
    }
    try await server.finish(links: 2)
    let versions: [Packet.Version?] = server.received.filter { $0.packet.kind == .connect }.map {
      if case .connect(let connect) = $0.packet { connect.version } else { nil }
    }
    #expect(versions == [.v5, .v311])
  }

  @Test("A packet larger than the broker takes is refused here, and the connection stays")
  func tooLarge() async throws {
    try await LocalBroker.with(.init(configuration: ["max_packet_size 1000"])) { broker in
      try await withConnection(ConnectionOptions(broker)) { connection, recorder in
        #expect(recorder.history.sessions[0].maximumPacketSize == 1_000)
        let topic = try Topic("a")
        // 1 byte of type, 2 of length, 3 of topic, 2 of id, 1 of properties: 9 with the payload's own.
        try await connection.publish(Publish(topic, [UInt8](repeating: 0, count: 991)))
        await #expect(throws: ConnectionError.publishRefused(topic, .packetTooLarge)) {
          try await connection.publish(Publish(topic, [UInt8](repeating: 0, count: 992)))
        }
        #expect(recorder.history.causes.isEmpty)
      }
    }
  }
}
