import Brokers
import Dispatch
import MQTT
import Peers
import Signals
import Testing

@testable import MQTT

/// Handlers, completions and observers that wait for something, on the same connection or another one.
@Suite(.timeLimit(.minutes(5)))
struct HandlerTests {
  @Test("A handler may wait for the acknowledgement of its own publish", arguments: [false, true])
  func ownPublish(_ awaits: Bool) async throws {
    try await LocalBroker.with { broker in
      let acknowledged = Barrier()
      let keeper = Keeper()
      let recorder = Recorder { message in
        guard message.topic == "go", let connection = keeper.connection, let topic = try? Topic("answer")
        else { return }
        if awaits {
          Task {
            try await connection.publish(Publish(topic, "x"))
            acknowledged.open()
          }
        } else {
          connection.publish(Publish(topic, "x")) { if $0.isSuccess { acknowledged.open() } }
        }
        acknowledged.wait()
      }
      try await withConnection(ConnectionOptions(broker), recorder) { connection, _ in
        keeper.connection = connection
        _ = try await connection.subscribe([Subscribe(TopicFilter("go")), Subscribe(TopicFilter("answer"))])
        try await connection.publish(Publish(Topic("go"), "1"))
        try await connection.publish(Publish(Topic("go"), "2"))
        try await eventually("it waits for ever") { recorder.count == 4 }
        #expect(recorder.texts.filter { $0 != "x" } == ["1", "2"])
        #expect(!acknowledged.isLate)
        try await eventually("threads are left over") { connection.mailbox.threads.count <= 2 }
      }
    }
  }

  @Test("A handler may wait for the answer to its own subscribe")
  func ownSubscribe() async throws {
    try await LocalBroker.with { broker in
      let (answered, results) = (Barrier(), Collector<[SubscribeResult]>())
      let keeper = Keeper()
      let recorder = Recorder { message in
        guard message.topic == "go", let filter = try? TopicFilter("more") else { return }
        keeper.connection?.subscribe([Subscribe(filter)]) { result in
          if let answer = try? result.get() { results.add(answer) }
          answered.open()
        }
        answered.wait()
      }
      try await withConnection(ConnectionOptions(broker), recorder) { connection, _ in
        keeper.connection = connection
        _ = try await connection.subscribe([Subscribe(TopicFilter("go"))])
        try await connection.publish(Publish(Topic("go"), "1"))
        try await eventually("no answer") { results.values == [[.granted(.atLeastOnce)]] }
        try await connection.publish(Publish(Topic("more"), "2"))
        try await eventually("the new filter is deaf") { recorder.texts == ["1", "2"] }
        #expect(!answered.isLate)
      }
    }
  }

  @Test("Handlers of two connections may wait for each other's messages")
  func twoConnections() async throws {
    try await LocalBroker.with { broker in
      let (met, here, there) = (Barrier(), Keeper(), Keeper())
      let first = Recorder { message in
        guard message.topic == "start", let topic = try? Topic("there") else { return }
        here.connection?.send(Publish(topic, "from here"))
        met.wait()
      }
      let second = Recorder { message in
        guard let topic = try? Topic(message.topic == "start" ? "own" : "end") else { return }
        // Its own handler is busy with "start" until the answer to what it publishes has come.
        let written = Barrier()
        there.connection?.publish(Publish(topic, "from there")) { _ in written.open() }
        written.wait()
        if message.topic == "there" { met.open() }
      }
      try await withConnection(ConnectionOptions(broker), first) { connection, _ in
        here.connection = connection
        try await withConnection(ConnectionOptions(broker), second) { other, _ in
          there.connection = other
          _ = try await connection.subscribe([Subscribe(TopicFilter("start"))])
          _ = try await other.subscribe([Subscribe(TopicFilter("start")), Subscribe(TopicFilter("there"))])
          try await Peer.publish(broker, "-t", "start", "-m", "x", "-q", "1")
          try await eventually("they wait for ever") { second.history.messages.last?.topic == "there" }
          try await eventually("the first one still waits") { connection.mailbox.deliveries.isIdle }
          #expect(!met.isLate)
        }
      }
    }
  }

  @Test(
    "A handler that waits for a message behind it is named, and all else goes on", .timeLimit(.minutes(3)))
  func waitsForItself() async throws {
    try await LocalBroker.with { broker in
      let second = Barrier()
      let recorder = Recorder { message in
        if message.topic == "first" { second.wait() } else { second.open() }
      }
      var options = ConnectionOptions(broker)
      options.keepAlive = .seconds(5)
      try await withConnection(options, recorder) { connection, _ in
        _ = try await connection.subscribe([Subscribe(TopicFilter("+"))])
        try await connection.publish(Publish(Topic("first"), "1"))
        try await connection.publish(Publish(Topic("second"), "2"))
        try await eventually("not seen") { connection.metrics.stalledHandler?.topic == "first" }
        let time = try #require(connection.metrics.stalledHandler?.duration)
        try await broker.waitForLog("Received PINGREQ", count: 2)
        let later = try #require(connection.metrics.stalledHandler?.duration)
        #expect(later > time)
        #expect(connection.metrics.inbox.count == 2)
        #expect(recorder.texts == ["1"])
        try await connection.publish(Publish(Topic("first/other"), "3"))
        second.open()
        try await eventually("the second is stuck") { recorder.texts == ["1", "2"] }
        try await eventually("still named") { connection.metrics.stalledHandler == nil }
        #expect(recorder.history.causes.isEmpty)
        #expect(connection.metrics.inbox == QueueSize(count: 0, bytes: 0))
      }
    }
  }

  @Test("A subscribe's completion may wait for the retained message that came with the answer")
  func completionWaitsForMessage() async throws {
    try await LocalBroker.with { broker in
      try await Peer.publish(broker, "-t", "kept", "-m", "x", "-q", "1", "-r")
      let (came, isDone) = (Barrier(), Barrier())
      let recorder = Recorder { _ in came.open() }
      try await withConnection(ConnectionOptions(broker), recorder) { connection, _ in
        connection.subscribe([Subscribe(try TopicFilter("kept"))]) { _ in
          came.wait()
          isDone.open()
        }
        try await eventually("it waits for ever") { recorder.texts == ["x"] }
        try await eventually("the completion waits for ever") { isDone.isOpen }
        #expect(!came.isLate)
      }
    }
  }

  @Test("A completion and a handler that block at the same time hold up neither the broker nor other calls")
  func bothBlock() async throws {
    try await LocalBroker.with { broker in
      let (inHandler, inCompletion) = (Barrier(), Barrier())
      let recorder = Recorder { message in if message.topic == "slow" { inHandler.wait() } }
      let peer = try await Peer.subscribe(broker, "-t", "out", "-q", "1")
      var options = ConnectionOptions(broker)
      options.keepAlive = .seconds(5)
      try await withConnection(options, recorder) { connection, _ in
        _ = try await connection.subscribe([Subscribe(TopicFilter("slow"))])
        let results = Collector<PublishResult>()
        connection.publish(Publish(try Topic("slow"), "1")) { result in
          inCompletion.wait()
          results.add(result)
        }
        try await eventually("not blocked") { inHandler.arrived == 1 && inCompletion.arrived == 1 }
        for index in 0..<100 {
          connection.publish(Publish(try Topic("out"), "\(index)")) { results.add($0) }
        }
        try await peer.lines { $0.count == 100 }
        #expect(results.count == 0)
        #expect(connection.mailbox.threads.count <= 3)
        try await broker.waitForLog("Received PINGREQ from \(options.clientID)", count: 1)
        inCompletion.open()
        try await eventually("completions are missing") { results.count == 101 }
        #expect(results.values.allSatisfy { $0.isSuccess })
        #expect(recorder.count == 1)
        inHandler.open()
        try await eventually("threads are left over") { connection.mailbox.threads.count <= 2 }
        #expect(recorder.history.causes.isEmpty)
      }
    }
  }

  @Test("An observer of the states that blocks holds up no message")
  func blockingObserver() async throws {
    try await LocalBroker.with { broker in
      let barrier = Barrier()
      let connection = try Connection(ConnectionOptions(broker))
      let recorder = Recorder()
      let end = connection.states.subscribe { state in
        if case .connected = state { barrier.wait() }
      }
      connection.connect(delegate: recorder)
      try await eventually("not connected") { barrier.arrived == 1 && !recorder.history.sessions.isEmpty }
      let peer = try await Peer.subscribe(broker, "-t", "out", "-q", "1")
      connection.send(Publish(try Topic("out"), "x"))
      try await peer.lines { $0 == ["x"] }
      connection.subscribe([Subscribe(try TopicFilter("in"))]) { _ in }
      try await broker.waitForLog("Received SUBSCRIBE from sb-")
      try await eventually("nothing arrived") {
        try await Peer.publish(broker, "-t", "in", "-m", "y", "-q", "1")
        return recorder.texts.contains("y")
      }
      barrier.open()
      await connection.close()
      try await eventually("threads are left over") { connection.mailbox.threads.count == 0 }
      end.dispose()
    }
  }

  @Test("A log hook that blocks holds up no message")
  func blockingLog() async throws {
    try await LocalBroker.with { broker in
      let barrier = Barrier()
      var options = ConnectionOptions(broker)
      options.logLevel = .debug
      options.log = { _, line in if line.hasPrefix("connected") { barrier.wait() } }
      let recorder = Recorder()
      try await withConnection(options, recorder) { connection, _ in
        try await eventually("no line") { barrier.arrived == 1 }
        connection.subscribe([Subscribe(try TopicFilter("in"))]) { _ in }
        connection.send(Publish(try Topic("in"), "x"))
        try await eventually("nothing arrived") { recorder.texts == ["x"] }
        barrier.open()
        try await connection.publish(Publish(Topic("in"), "y"))
        #expect(!barrier.isLate)
      }
    }
  }
}

/// Holds a connection for its own handlers.
final class Keeper: Sendable {
  private let state = Lock<Connection?>(nil)

  var connection: Connection? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// Lets go, and gives what was held.
  func drop() -> Connection? {
    state.withLock { connection in
      defer { connection = nil }
      return connection
    }
  }
}
