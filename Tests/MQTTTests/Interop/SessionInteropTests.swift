import Signals
import MQTT
import Peers
import Testing

/// What a broker keeps for a client that is gone, and how it notices.
@Suite(.timeLimit(.minutes(5)))
struct SessionInteropTests {
  @Test(
    "The will is published when the link breaks, and not after a goodbye", arguments: InteropBroker.versions)
  func will(_ version: ProtocolVersion) async throws {
    try await InteropBroker.with(version) { broker in
      let relay = try CuttingProxy(to: UInt16(broker.port))
      defer { relay.stop() }
      try await withConnection(broker.options) { watcher, recorder in
        let (will, mark) = (try broker.topic("will"), try broker.topic("mark"))
        _ = try await watcher.subscribe([Subscribe(broker.filter("#"))])
        var options = broker.options
        options.endpoint = .tcp(host: "127.0.0.1", port: Int(relay.port))
        options.backoff = .init(initial: .seconds(300), maximum: .seconds(300))

        options.will = Will(will, Array("after goodbye".utf8))
        try await withConnection(options) { connection, _ in try await connection.publish(Publish(mark, "1"))
        }

        options.will = Will(will, Array("lost".utf8))
        try await withConnection(options) { connection, probe in
          try await connection.publish(Publish(mark, "2"))
          relay.cut()
          try await eventually("the link holds") { probe.history.causes.count == 1 }
          try await eventually("no will") { !recorder.texts(on: will).isEmpty }
          await connection.close(deadline: .zero)
        }
        try await watcher.publish(Publish(mark, "3"))
        try await eventually("no mark") { recorder.texts(on: mark) == ["1", "2", "3"] }
        #expect(recorder.texts(on: will) == ["lost"])
        #expect(recorder.messages(on: will).allSatisfy { $0.qos == .atLeastOnce && !$0.isRetained })
      }
    }
  }

  @Test("A second client with the same id takes over", arguments: InteropBroker.versions)
  func takeOver(_ version: ProtocolVersion) async throws {
    try await InteropBroker.with(version) { broker in
      try await withConnection(broker.options) { watcher, watching in
        let will = try broker.topic("will")
        _ = try await watcher.subscribe([Subscribe(TopicFilter(will))])
        var options = broker.options
        options.backoff = .init(initial: .seconds(300), maximum: .seconds(300))
        options.will = Will(will, Array("lost".utf8))
        try await withConnection(options) { first, recorder in
          options.will = nil
          try await withConnection(options) { second, _ in
            try await eventually("both are in") { recorder.history.causes.count == 1 }
            let cause = recorder.history.causes[0]
            broker.record("the first of two clients with one id", cause.map { "\($0)" } ?? "closed")
            try await second.publish(Publish(will, "mark"))
            try await eventually("no mark") { watching.texts(on: will).contains("mark") }
            broker.record(
              "the will at a take-over",
              watching.texts(on: will).contains("lost") ? "published" : "not published")
          }
          await first.close(deadline: .zero)
        }
      }
    }
  }

  @Test("A session is resumed with what was queued for it", arguments: InteropBroker.versions)
  func resume(_ version: ProtocolVersion) async throws {
    let numbers = (0..<20).map(String.init)
    try await InteropBroker.with(version) { broker in
      let topic = try broker.topic("queue")
      var options = broker.options
      options.cleanStart = false
      options.sessionExpiry = .seconds(60)
      try await withConnection(options) { connection, recorder in
        #expect(!recorder.history.sessions[0].isPresent)
        _ = try await connection.subscribe([Subscribe(TopicFilter(topic))])
      }
      try await withConnection(broker.options) { connection, _ in
        for number in numbers { try await connection.publish(Publish(topic, number)) }
      }
      try await withConnection(options) { _, recorder in
        #expect(recorder.history.sessions[0].isPresent)
        try await eventually("messages are missing") { recorder.messages(on: topic).count >= numbers.count }
        #expect(recorder.texts(on: topic) == numbers)
        #expect(recorder.messages(on: topic).allSatisfy { $0.qos == .atLeastOnce })
        broker.record("20 messages queued for a session", "in order")
      }
      options.cleanStart = true
      options.sessionExpiry = .zero
      try await withConnection(options) { _, recorder in
        #expect(!recorder.history.sessions[0].isPresent)
      }
    }
  }

  @Test("A broken link comes back with its session, and nothing is lost", arguments: InteropBroker.versions)
  func reconnect(_ version: ProtocolVersion) async throws {
    try await InteropBroker.with(version) { broker in
      let relay = try CuttingProxy(to: UInt16(broker.port))
      defer { relay.stop() }
      let topic = try broker.topic("t")
      var options = broker.options
      options.endpoint = .tcp(host: "127.0.0.1", port: Int(relay.port))
      options.cleanStart = false
      options.sessionExpiry = .seconds(60)
      try await withConnection(options) { connection, recorder in
        _ = try await connection.subscribe([Subscribe(TopicFilter(topic))])
        let results = Collector<PublishResult>()
        for round in 1...3 {
          for index in 0..<100 { connection.publish(Publish(topic, "\(round)/\(index)")) { results.add($0) } }
          try await eventually("nothing arrived") { recorder.texts(on: topic).contains("\(round)/0") }
          relay.cut()
          try await eventually("not back") { recorder.history.sessions.count > round }
        }
        try await eventually("messages are missing") {
          results.count == 300 && Set(recorder.texts(on: topic)).count == 300
        }
        #expect(results.values.allSatisfy { $0.isSuccess })
        #expect(recorder.history.sessions.dropFirst().allSatisfy { $0.isPresent })
        broker.record("a broken link, with a session", "resumed, nothing lost")
      }
      options.cleanStart = true
      options.sessionExpiry = .zero
      options.endpoint = broker.options.endpoint
      try await withConnection(options) { _, _ in }
    }
  }

  @Test("An idle connection is kept for 2.5 times its keep-alive", arguments: InteropBroker.versions)
  func keepAlive(_ version: ProtocolVersion) async throws {
    try await InteropBroker.with(version) { broker in
      var options = broker.options
      options.keepAlive = .seconds(5)
      try await withConnection(options) { connection, recorder in
        // Time itself is what is tested: a broker that misses the pings closes after 7.5 s.
        try await Task.sleep(for: .seconds(12.5))
        #expect(recorder.history.causes.isEmpty)
        try await connection.publish(Publish(broker.topic("t"), "x"))
        #expect(recorder.history.sessions.count == 1)
      }
    }
  }
}
