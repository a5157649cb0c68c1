import Brokers
import MQTT
import Peers
import Signals
import Testing

@testable import MQTT

/// How a handler or completion ends the connection that calls it.
@Suite(.timeLimit(.minutes(3)))
struct HandlerCloseTests {
  enum Manner: CaseIterable {
    case withoutWaiting, byCompletion, byTask
  }

  @Test("A handler may close its own connection, and wait for that", arguments: Manner.allCases)
  func closes(_ manner: Manner) async throws {
    try await LocalBroker.with { broker in
      let (isClosed, hasReturned) = (Barrier(), Barrier())
      let keeper = Keeper()
      let recorder = Recorder { _ in
        switch manner {
        case .withoutWaiting:
          keeper.connection?.close { isClosed.open() }
        case .byCompletion:
          keeper.connection?.close { isClosed.open() }
          isClosed.wait()
        case .byTask:
          Task {
            await keeper.connection?.close(deadline: .milliseconds(500))
            isClosed.open()
          }
          isClosed.wait()
        }
        hasReturned.open()
      }
      let connection = try Connection(ConnectionOptions(broker))
      keeper.connection = connection
      connection.connect(delegate: recorder)
      try await eventually("no connection") { !recorder.history.sessions.isEmpty }
      _ = try await connection.subscribe([Subscribe(TopicFilter("a"))])
      connection.send(Publish(try Topic("a"), "x"))
      try await broker.waitForLog("Received DISCONNECT from sb-")
      try await eventually("the handler waits for ever") { hasReturned.isOpen }
      try await eventually("close waits for ever") { isClosed.isOpen }
      #expect(!isClosed.isLate)
      await connection.close()
      try await eventually("the end is missing") { recorder.history.causes == [nil] }
      try await eventually("threads are left over") { connection.mailbox.threads.count == 0 }
      _ = keeper.drop()
    }
  }

  @Test("The completion of a publish may wait for the end of the connection that ends it")
  func completionWaitsForClose() async throws {
    try await LocalBroker.with { broker in
      await broker.kill()
      let (isClosed, results) = (Barrier(), Collector<PublishResult>())
      let connection = try Connection(ConnectionOptions(broker))
      for index in 0..<3 {
        connection.publish(Publish(try Topic("a"), "\(index)")) { result in
          if index == 1 { isClosed.wait() }
          results.add(result)
        }
      }
      connection.connect()
      connection.close(deadline: .milliseconds(200)) { isClosed.open() }
      try await eventually("they wait for each other") { results.count == 3 }
      #expect(results.values == Array(repeating: .failed(.closed), count: 3))
      #expect(!isClosed.isLate)
      try await eventually("threads are left over") { connection.mailbox.threads.count == 0 }
    }
  }

  @Test("close waits for a handler that is on its way, and tells it all that came before")
  func waitsForHandlers() async throws {
    try await LocalBroker.with { broker in
      let (barrier, isClosed) = (Barrier(), Barrier())
      let recorder = Recorder { message in if message.payload == Array("0".utf8) { barrier.wait() } }
      let connection = try Connection(ConnectionOptions(broker))
      connection.connect(delegate: recorder)
      try await eventually("no connection") { !recorder.history.sessions.isEmpty }
      _ = try await connection.subscribe([Subscribe(TopicFilter("a"))])
      for index in 0..<100 { connection.send(Publish(try Topic("a"), "\(index)")) }
      try await eventually("not received") { connection.metrics.messagesReceived == 100 }
      connection.close(deadline: .seconds(60)) { isClosed.open() }
      try await broker.waitForLog("Received DISCONNECT from sb-")
      #expect(!isClosed.isOpen)
      barrier.open()
      try await eventually("close waits for ever") { isClosed.isOpen }
      #expect(recorder.texts == (0..<100).map { "\($0)" })
      #expect(recorder.history.causes == [nil])
      try await eventually("threads are left over") { connection.mailbox.threads.count == 0 }
    }
  }

  @Test("close by the deadline leaves a handler behind that never returns, and drops what waits behind it")
  func leavesHandlerBehind() async throws {
    try await LocalBroker.with { broker in
      let barrier = Barrier()
      let recorder = Recorder { _ in barrier.wait() }
      let connection = try Connection(ConnectionOptions(broker))
      connection.connect(delegate: recorder)
      try await eventually("no connection") { !recorder.history.sessions.isEmpty }
      _ = try await connection.subscribe([Subscribe(TopicFilter("a"))])
      for index in 0..<200 { connection.send(Publish(try Topic("a"), "\(index)")) }
      try await eventually("not received") { connection.metrics.messagesReceived == 200 }
      let before = connection.metrics.inbox.count
      await connection.close(deadline: .milliseconds(300))
      // What the handler has in hand, and the word that the link has gone.
      #expect(connection.metrics.inbox.count < before)
      #expect(recorder.count == 1)
      barrier.open()
      try await eventually("the end is missing") { recorder.history.causes == [nil] }
      try await eventually("threads are left over") { connection.mailbox.threads.count == 0 }
      #expect(connection.metrics.inbox == QueueSize(count: 0, bytes: 0))
    }
  }

  @Test("A handler that drops the last reference and goes on for long does not hold up the goodbye")
  func dropsLastReference() async throws {
    try await LocalBroker.with { broker in
      let (barrier, keeper) = (Barrier(), Keeper())
      let recorder = Recorder { _ in
        if keeper.drop() != nil { barrier.wait() }
      }
      weak var mailbox: Mailbox?
      try await { () async throws in
        let connection = try Connection(ConnectionOptions(broker))
        mailbox = connection.mailbox
        connection.connect(delegate: recorder)
        try await eventually("no connection") { !recorder.history.sessions.isEmpty }
        _ = try await connection.subscribe([Subscribe(TopicFilter("a"))])
        keeper.connection = connection
      }()
      try await Peer.publish(broker, "-t", "a", "-m", "x", "-q", "1")
      try await broker.waitForLog("Received DISCONNECT from sb-")
      #expect(barrier.arrived == 1 && mailbox != nil)
      barrier.open()
      try await eventually("the threads live on") { mailbox == nil }
      #expect(recorder.history.causes == [nil])
    }
  }
}
