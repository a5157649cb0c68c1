import Brokers
import MQTT
import Peers
import Signals
import Testing

/// Does something at each connect.
private final class Subscriber: ConnectionDelegate {
  private let act: @Sendable () -> Void

  init(act: @escaping @Sendable () -> Void) { self.act = act }

  func connectionDidConnect(_ session: Session) { act() }
  func connectionDidDisconnect(_ cause: ConnectionError?) {}
  func connectionDidReceive(_ message: Message) {}
}

/// A message that makes the broker end the link, sent again after each reconnect.
@Suite(.timeLimit(.minutes(5)))
struct PoisonPublishTests {
  /// A broker that ends the link at each message on "bad", in this way, and keeps what it has acknowledged.
  private func server(
    _ arrived: Collector<String>, end: @escaping @Sendable (ScriptedBroker.Link) throws -> Void
  ) throws -> ScriptedBroker {
    try ScriptedBroker { link in
      try link.serve { packet in
        guard case .publish(let publish) = packet else { return false }
        if publish.topic == "bad" {
          try end(link)
        } else {
          arrived.add(publish.text)
        }
        return publish.topic == "bad"
      }
    }
  }

  private func publish(_ connection: Connection, _ topic: String, _ text: String, qos: QoS = .atLeastOnce)
    throws -> Collector<PublishResult>
  {
    let results = Collector<PublishResult>()
    connection.publish(Publish(try Topic(topic), text, qos: qos)) { results.add($0) }
    return results
  }

  @Test(
    "The message at which the broker ends the link fails by name, and all others arrive",
    arguments: [ProtocolVersion.v5, .v311],
    [(QoS.atLeastOnce, false), (.atLeastOnce, true), (.exactlyOnce, false), (.exactlyOnce, true)])
  func amongOthers(_ version: ProtocolVersion, _ way: (qos: QoS, resets: Bool)) async throws {
    let (qos, resets) = way
    let arrived = Collector<String>()
    let server = try server(arrived) { if resets { try $0.reset() } else { try $0.close() } }
    var options = ConnectionOptions(server)
    options.version = version
    if qos == .exactlyOnce { options.sessionExpiry = .seconds(600) }
    let connection = try Connection(options)
    let (states, end) = record(connection)
    var innocent: [Collector<PublishResult>] = []
    for number in 0..<3 { innocent.append(try publish(connection, "good", "\(number)", qos: qos)) }
    let bad = try publish(connection, "bad", "x", qos: qos)
    for number in 3..<6 { innocent.append(try publish(connection, "good", "\(number)", qos: qos)) }
    connection.connect()
    try await eventually("it goes on for ever: \(states.values.suffix(3))") { bad.count == 1 }
    #expect(bad.values == [.failed(.poison(try Topic("bad"), nil))])
    try await eventually("held up by the failed one") { innocent.allSatisfy { $0.count == 1 } }
    #expect(innocent.allSatisfy { $0.values[0].isSuccess }, "\(innocent.map(\.values))")
    #expect(Set(arrived.values) == Set((0..<6).map { "\($0)" }))
    let causes = states.values.compactMap { if case .waiting(_, let cause) = $0 { cause } else { nil } }
    #expect(causes.last == .poison(try Topic("bad"), nil))
    #expect(causes.contains { "\($0)".contains("times in a row with the message on \"") })
    #expect(!causes.contains { if case .clientIDInUse = $0 { true } else { false } }, "\(causes)")
    try await connection.publish(Publish(Topic("good"), "after"))
    _ = try await connection.subscribe([Subscribe(TopicFilter("f"))])
    await connection.close()
    end.dispose()
  }

  @Test("A reason of MQTT 5 that is about a message spares the row: the second link convicts")
  func reason() async throws {
    let arrived = Collector<String>()
    let code = ReasonCode(rawValue: 0x95)
    let server = try server(arrived) { link in
      try link.send(.disconnect(.init(rawValue: 0x95)))
      try link.close()
    }
    try await withConnection(ConnectionOptions(server)) { connection, _ in
      let bad = try publish(connection, "bad", "x")
      let good = try publish(connection, "good", "y")
      try await eventually("it goes on for ever") { bad.count == 1 && good.count == 1 }
      #expect(bad.values == [.failed(.poison(try Topic("bad"), code))])
      #expect(good.values[0].isSuccess)
      #expect(server.linkCount == 3)
    }
  }

  @Test("A broker that ends each link at a subscribe fails no message that flew: in a trial, subscribes wait")
  func subscribeIsToBlame() async throws {
    let server = try ScriptedBroker { link in
      try link.accept()
      // Slow to acknowledge, so that the subscribe comes before.
      link.patience = .milliseconds(100)
      var unanswered: [UInt16] = []
      while true {
        do {
          guard let packet = try link.receive() else { return }
          if case .subscribe = packet { return try link.close() }
          if case .publish(let publish) = packet { unanswered.append(publish.id) }
        } catch ScriptedBrokerError.step {
          for id in unanswered { try link.send(.puback(id)) }
          unanswered = []
        }
      }
    }
    let connection = try Connection(ConnectionOptions(server))
    let filter = try TopicFilter("f")
    let answers = Collector<Bool>()
    let subscriber = Subscriber { [weak connection] in
      connection?.subscribe([Subscribe(filter)]) { answer in
        answers.add((try? answer.get()) != nil)
      }
    }
    let result = try publish(connection, "t", "x")
    connection.connect(delegate: subscriber)
    try await eventually("never acknowledged") { result.count == 1 }
    #expect(result.values == [.acknowledged(.success)])
    let before = answers.count
    try await eventually("the subscribe that waited was forgotten") { answers.count > before }
    #expect(!answers.values.contains(true))
    await connection.close(deadline: .zero)
  }

  @Test(
    "A broker that ends each link soon, whatever is sent, fails no message; subscribes in between end, too")
  func closesAnyway() async throws {
    let isTame = Lock(false)
    let server = try ScriptedBroker { link in
      try link.accept()
      if isTame.withLock({ $0 }) { return try link.serve() }
      // What comes is read, so that the end is no reset, but not answered.
      link.patience = .milliseconds(20)
      while (try? link.receive()) != nil {}
      try link.close()
    }
    let connection = try Connection(ConnectionOptions(server))
    let recorder = Recorder()
    let result = try publish(connection, "t", "x")
    connection.connect(delegate: recorder)
    try await eventually("no links") { server.linkCount >= 12 }
    let answers = Collector<Bool>()
    for _ in 0..<20 {
      connection.subscribe([Subscribe(try TopicFilter("f"))]) {
        if case .failure = $0 { answers.add(false) } else { answers.add(true) }
      }
    }
    try await eventually("no more links") { server.linkCount >= 24 }
    #expect(result.count == 0)
    isTame.withLock { $0 = true }
    try await eventually("not acknowledged") { result.count == 1 }
    #expect(result.values == [.acknowledged(.success)])
    try await eventually("subscribes hang") { answers.count == 20 }
    await connection.close()
  }
}
