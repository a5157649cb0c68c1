import Brokers
import MQTT
import Peers
import Signals
import Testing

@testable import MQTT

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// More messages than handlers can take at once, over several keep-alives.
@Suite(.timeLimit(.minutes(5)))
struct HandlerFloodTests {
  /// A broker that keeps for a slow client all that it has.
  static let patient = LocalBroker.Options(configuration: ["max_queued_messages 0"])

  /// The shortest keep-alive there is.
  private static func options(_ broker: LocalBroker, _ version: ProtocolVersion = .v5) -> ConnectionOptions {
    var options = ConnectionOptions(broker, version)
    options.keepAlive = .seconds(5)
    return options
  }

  @Test(
    "While a handler sleeps for three keep-alives the link lives; nothing is lost, and the order kept",
    arguments: [ProtocolVersion.v5, .v311])
  func sleepingHandler(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with(Self.patient) { broker in
      let barrier = Barrier()
      let recorder = Recorder { _ in if barrier.arrived == 0 { barrier.wait() } }
      let options = Self.options(broker, version)
      try await withConnection(options, recorder) { connection, _ in
        _ = try await connection.subscribe([
          Subscribe(TopicFilter("n/0"), qos: .atMostOnce), Subscribe(TopicFilter("n/1"), qos: .atLeastOnce),
        ])
        try await withConnection(ConnectionOptions(broker)) { publisher, _ in
          for index in 0..<8_000 {
            publisher.send(Publish(try Topic("n/\(index % 2)"), "\(index)"))
          }
          try await broker.waitForLog("Received PINGREQ from \(options.clientID)", count: 3)
          #expect(barrier.arrived == 1 && recorder.count == 1)
          try await eventually("not received") { connection.metrics.messagesReceived == 8_000 }
          barrier.open()
          try await eventually("messages are missing") { recorder.count == 8_000 }
        }
        for topic in ["n/0", "n/1"] {
          let numbers = recorder.numbers(of: topic)
          #expect(numbers == (0..<8_000).filter { "n/\($0 % 2)" == topic })
        }
        #expect(recorder.history.causes.isEmpty && !barrier.isLate)
        #expect(connection.metrics.connects == 1 && connection.metrics.messagesDropped == 0)
        try await eventually("threads are left over") { connection.mailbox.threads.count <= 2 }
      }
    }
  }

  @Test(
    "QoS 1 beyond the inbox: the link is given up, and resumed until all has come, in order",
    arguments: [ProtocolVersion.v5, .v311])
  func overflowsAtQoS1(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with(Self.patient) { broker in
      let barrier = Barrier()
      let recorder = Recorder { _ in if barrier.arrived == 0 { barrier.wait() } }
      var options = Self.options(broker, version)
      options.inboxLimits.count = 50
      options.sessionExpiry = .seconds(3_600)
      options.cleanStart = false
      let (count, topics) = (900, 3)
      try await withConnection(options, recorder) { connection, _ in
        let (states, end) = record(connection)
        _ = try await connection.subscribe([Subscribe(TopicFilter("n/+"))])
        try await withConnection(ConnectionOptions(broker)) { publisher, _ in
          for index in 0..<count {
            publisher.send(Publish(try Topic("n/\(index % topics)"), "\(index)"))
          }
          try await eventually("reading does not pause") { connection.metrics.inbox.count >= 50 }
          try await eventually("the link is held") {
            states.values.contains { if case .waiting(_, .inboxOverflow) = $0 { true } else { false } }
          }
          try await eventually("not tried again") { connection.metrics.connects >= 3 }
          let metrics = connection.metrics
          // What came and went of links is told in the same order, and is never more than a word at the end.
          #expect(metrics.inbox.count <= 50 + 2, "\(metrics)")
          #expect(metrics.inboxOverflows >= 2 && metrics.messagesDropped == 0)
          barrier.open()
          try await eventually("messages are missing") {
            Set(recorder.texts).count == count && connection.metrics.stalledHandler == nil
          }
        }
        let connects = connection.metrics.connects
        for topic in 0..<topics {
          let numbers = recorder.numbers(of: "n/\(topic)")
          #expect(Set(numbers) == Set((0..<count).filter { $0 % topics == topic }))
          // A broker that is connected to again repeats, in order, what was not acknowledged; nothing else does.
          let steps = zip(numbers, numbers.dropFirst())
          #expect(steps.count { $0 >= $1 } < connects, "\(numbers)")
          #expect(steps.allSatisfy { $1 <= $0 || $1 == $0 + topics }, "\(numbers)")
        }
        #expect(recorder.history.causes.allSatisfy { if case .inboxOverflow = $0 { true } else { false } })
        end.dispose()
      }
    }
  }

  @Test("QoS 0 beyond the inbox: what is dropped is counted, to the message, and the link lives")
  func overflowsAtQoS0() async throws {
    try await LocalBroker.with(Self.patient) { broker in
      let (barrier, lines) = (Barrier(), Collector<String>())
      let recorder = Recorder { _ in if barrier.arrived == 0 { barrier.wait() } }
      var options = Self.options(broker)
      options.inboxLimits.count = 100
      options.log = { level, line in if level == .warning { lines.add(line) } }
      let count = 30_000
      try await withConnection(options, recorder) { connection, _ in
        _ = try await connection.subscribe([Subscribe(TopicFilter("n"), qos: .atMostOnce)])
        try await withConnection(ConnectionOptions(broker)) { publisher, _ in
          let padding = String(repeating: ".", count: 500)
          for index in 0..<count {
            publisher.send(
              Publish(try Topic("n"), "\(index) \(padding)", qos: .atMostOnce))
          }
          try await broker.waitForLog("Received PINGREQ from \(options.clientID)", count: 3)
          try await eventually("not all was read") { connection.metrics.messagesReceived == count }
          #expect(connection.metrics.inbox.count <= 100)
          barrier.open()
          try await eventually("the inbox is not emptied") { connection.mailbox.deliveries.isIdle }
          try await publisher.publish(Publish(Topic("n"), "\(count)", qos: .atMostOnce))
          try await eventually("deaf") { recorder.texts.last == "\(count)" }
        }
        let metrics = connection.metrics
        #expect(metrics.messagesDropped > 0)
        #expect(metrics.messagesReceived == recorder.count + metrics.messagesDropped)
        #expect(metrics.messagesReceived == count + 1)
        let numbers = recorder.history.messages.compactMap { message in
          Int(String(decoding: message.payload, as: UTF8.self).split(separator: " ")[0])
        }
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy(<))
        #expect(recorder.history.causes.isEmpty && metrics.connects == 1)
        #expect(lines.values.contains { $0.hasPrefix("the inbox is full") })
        #expect(lines.values.contains { $0.hasPrefix("dropped") })
        #expect(lines.count < 50, "\(lines.count) lines")
      }
    }
  }

  /// A handler that is always a little too slow leaves more unread than it can take within any keep-alive: in the
  /// first case with an inbox that is always nearly full, in the second one so quickly that nobody takes the loop.
  @Test(
    "A handler that never catches up with QoS 0 does not keep the answers to pings unread",
    arguments: [(inbox: 10, microseconds: 20_000), (inbox: 10_000, microseconds: 300)])
  func neverCatchesUp(_ inbox: Int, _ microseconds: UInt32) async throws {
    try await LocalBroker.with(Self.patient) { broker in
      let isOver = Barrier()
      let recorder = Recorder { _ in if !isOver.isOpen { usleep(microseconds) } }
      var options = Self.options(broker)
      options.inboxLimits.count = inbox
      try await withConnection(options, recorder) { connection, _ in
        _ = try await connection.subscribe([Subscribe(TopicFilter("n"), qos: .atMostOnce)])
        try await withConnection(ConnectionOptions(broker)) { publisher, _ in
          let payload = [UInt8](repeating: 46, count: 500)
          for _ in 0..<90_000 {
            publisher.send(Publish(try Topic("n"), payload, qos: .atMostOnce))
          }
          try await broker.waitForLog("Received PINGREQ from \(options.clientID)", count: 4)
          isOver.open()
        }
        #expect(recorder.history.causes.isEmpty, "\(connection.metrics)")
        try await eventually("not all was read") { connection.metrics.messagesReceived == 90_000 }
        try await eventually("not all was handled") { connection.mailbox.deliveries.isIdle }
        #expect(recorder.count + connection.metrics.messagesDropped == 90_000)
      }
    }
  }

  @Test(
    "10,000 quick messages between slow ones: publishes of others are not held up, and no thread is left over"
  )
  func quickBetweenSlow() async throws {
    try await LocalBroker.with(Self.patient) { broker in
      let barriers = Lock<[Barrier]>([])
      let recorder = Recorder { message in
        guard message.topic == "slow" else { return }
        let barrier = Barrier()
        barriers.withLock { $0.append(barrier) }
        barrier.wait()
      }
      let options = Self.options(broker)
      let (rounds, quick) = (5, 2_000)
      let connection = try Connection(options)
      connection.connect(delegate: recorder)
      try await eventually("no connection") { !recorder.history.sessions.isEmpty }
      _ = try await connection.subscribe([
        Subscribe(TopicFilter("quick")), Subscribe(TopicFilter("slow")),
      ])
      let times = Collector<Duration>()
      try await withConnection(ConnectionOptions(broker)) { publisher, _ in
        for round in 0..<rounds {
          publisher.send(Publish(try Topic("slow"), "\(round * (quick + 1))"))
          for index in 1...quick {
            publisher.send(Publish(try Topic("quick"), "\(round * (quick + 1) + index)"))
          }
          try await eventually("not slow") { barriers.withLock { $0.count } == round + 1 }
          // While the handler is at it, for about a second. The completions measure: a task may have to wait for its
          // turn in the pool of threads, which is not what is protected here.
          for index in 1...100 {
            let start = ContinuousClock.now
            connection.publish(Publish(try Topic("other"), "x")) { _ in times.add(ContinuousClock.now - start)
            }
            try await eventually("not acknowledged") { times.count == round * 100 + index }
          }
          barriers.withLock { $0[round].open() }
        }
        try await eventually("messages are missing") { recorder.count == rounds * (quick + 1) }
      }
      #expect(recorder.texts == (0..<rounds * (quick + 1)).map { "\($0)" })
      #expect(recorder.history.causes.isEmpty)
      let sorted = times.values.sorted()
      print("acknowledged beside a slow handler: median \(sorted[sorted.count / 2]), longest \(sorted.last!)")
      // A handler blocks until all of its hundred are there: this only bounds how late the loop may be taken over.
      #expect(sorted.last! < .seconds(5))
      try await eventually("threads are left over") { connection.mailbox.threads.count <= 2 }
      await connection.close()
      try await eventually("threads are left over") { connection.mailbox.threads.count == 0 }
    }
  }
}

extension Recorder {
  /// The payloads of a topic, as numbers.
  func numbers(of topic: String) -> [Int] {
    history.messages.filter { $0.topic == topic }.compactMap {
      Int(String(decoding: $0.payload, as: UTF8.self))
    }
  }
}
