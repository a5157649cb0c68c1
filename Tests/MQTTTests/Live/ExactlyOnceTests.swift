import Brokers
import Peers
import Signals
import Testing

@testable import MQTT

/// QoS 2 over links that break: each message arrives, in order, and as seldom twice as can be.
@Suite(.timeLimit(.minutes(4)))
struct ExactlyOnceTests {
  enum Cut: CaseIterable {
    case beforePubrec, beforePubrel, afterPubrel
  }

  /// What a broker keeps of a session: the ids that it holds, and what it has passed on.
  private final class Kept: Sendable {
    struct State {
      var held: Set<UInt16> = []
      var passedOn: [Int] = []
      var isCut = false
    }

    let state = Lock(State())
  }

  private func options(_ port: UInt16, _ version: ProtocolVersion) -> ConnectionOptions {
    var options = ConnectionOptions(host: "127.0.0.1", port: Int(port))
    options.version = version
    options.backoff = .init(initial: .milliseconds(1), maximum: .milliseconds(20))
    options.connectDeadline = .seconds(60)
    options.sessionExpiry = .seconds(600)
    return options
  }

  /// A broker that passes a message of QoS 2 on when it first sees its id, as the specification allows (4.3.3), and cuts the
  /// link once, at the fourth such message or the first release. All that it sent before arrives: a receipt that is lost with
  /// the link makes a message come twice.
  private func server(_ cut: Cut, _ kept: Kept) throws -> ScriptedBroker {
    try ScriptedBroker { link in
      var sent = 0
      var released = 0
      func isCutting(_ now: Cut) throws -> Bool {
        guard now == cut, now == .beforePubrec ? sent == 4 : released == 1 else { return false }
        let cuts = kept.state.withLock { kept in
          defer { kept.isCut = true }
          return !kept.isCut
        }
        if cuts { try link.close() }
        return cuts
      }
      try link.accept(sessionPresent: link.number > 0)
      try link.serve { packet in
        switch packet {
        case .publish(let publish):
          let isTwo = publish.qos == 2
          kept.state.withLock { kept in
            if !isTwo || kept.held.insert(publish.id).inserted {
              kept.passedOn.append(Int(publish.payload[0]))
            }
          }
          if isTwo { sent += 1 }
          return isTwo ? try isCutting(.beforePubrec) : false
        case .pubrel(let ack):
          released += 1
          if try isCutting(.beforePubrel) { return true }
          _ = kept.state.withLock { $0.held.remove(ack.id) }
          return try isCutting(.afterPubrel)
        default: return false
        }
      }
    }
  }

  @Test(
    "A link that breaks at any step of the handshake loses nothing, keeps the order, and frees every id",
    arguments: Cut.allCases, [ProtocolVersion.v5, .v311])
  func cutAtEachStep(_ cut: Cut, _ version: ProtocolVersion) async throws {
    let kept = Kept()
    let server = try server(cut, kept)
    try await withConnection(options(server.port, version)) { connection, recorder in
      let results = Collector<PublishResult>()
      let topic = try Topic("t")
      for number in 0..<20 {
        let qos = number % 3 == 0 ? QoS.atLeastOnce : .exactlyOnce
        connection.publish(Publish(topic, [UInt8(number)], qos: qos)) { results.add($0) }
      }
      try await eventually("not settled") { results.count == 20 }
      #expect(results.values.allSatisfy { $0 == .acknowledged(.success) })
      #expect(recorder.history.causes.count == 1, "it was not cut")
      let (passedOn, held) = kept.state.withLock { ($0.passedOn, $0.held) }
      var first: [Int] = []
      for number in passedOn where !first.contains(number) { first.append(number) }
      #expect(first == Array(0..<20))
      #expect(held.isEmpty, "an id that is never released is lost to the session")
      // The one that was released, but whose receipt was never sent.
      let twice = cut == .afterPubrel ? 1 : 0
      #expect(passedOn.filter { $0 % 3 != 0 }.count == 13 + twice, "twice: \(passedOn)")
    }
  }

  @Test(
    "mosquitto, cut off with a full window of QoS 2, passes each message on once and in order",
    arguments: [ProtocolVersion.v5, .v311])
  func mosquitto(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with(.init(configuration: ["max_queued_messages 0"])) { broker in
      try await withConnection(ConnectionOptions(broker)) { subscriber, recorder in
        _ = try await subscriber.subscribe([Subscribe(TopicFilter("n"))])
        // Three links in a row see none of the broker's receipts, until almost all are due that it allows.
        let swallowed = Lock([0, 0, 0])
        let proxy = try CuttingProxy(to: broker.port) { link, header in
          guard link < 3, header >> 4 == Packet.Kind.pubrec.rawValue else { return true }
          swallowed.withLock { $0[link] += 1 }
          return false
        }
        defer { proxy.stop() }
        try await withConnection(options(proxy.port, version)) { publisher, publishing in
          // So that the ids of what is cut off are not those that a fresh handle begins with.
          for _ in 0..<7 { try await publisher.publish(Publish(Topic("first"), "x")) }
          let results = Collector<PublishResult>()
          let topic = try Topic("n")
          for number in 0..<300 {
            publisher.publish(Publish(topic, "\(number)", qos: .exactlyOnce)) { results.add($0) }
          }
          for link in 0..<3 {
            try await eventually("link \(link): \(swallowed.withLock { $0 })") {
              swallowed.withLock { $0[link] } >= 19
            }
            proxy.cut()
            try await eventually("not back") { publishing.history.sessions.count >= link + 2 }
          }
          try await eventually("not settled") { results.count == 300 }
          let refused = results.values.filter { !$0.isSuccess }
          #expect(refused.isEmpty, "\(refused.first.map { "\($0)" } ?? "")")
          try await eventually("lost") { recorder.texts.last == "299" }
          #expect(recorder.texts == (0..<300).map { "\($0)" })
        }
      }
    }
  }

  @Test("What flies when the connection is closed for good ends, whether a link is there or not")
  func closes() async throws {
    let server = try ScriptedBroker { link in
      guard link.number == 0 else { return }
      try link.accept()
      try link.expectPublish()
    }
    let connection = try Connection(options(server.port, .v5))
    let results = Collector<PublishResult>()
    connection.publish(Publish(try Topic("t"), "x", qos: .exactlyOnce)) { results.add($0) }
    let (states, end) = record(connection)
    connection.connect()
    try await eventually("not cut") {
      states.values.contains { if case .waiting = $0 { true } else { false } }
    }
    await connection.close(deadline: .milliseconds(50))
    end.dispose()
    #expect(results.values == [.failed(.closed)])
  }

  @Test("A fresh handle begins with the ids it is told to, also where the counter begins again")
  func skipsIDs() throws {
    let server = try ScriptedBroker { try $0.silence(reading: false) }
    func handle(_ resumption: Resumption?) throws -> Handle {
      try Handle(
        ConnectionOptions(server), address: Address(host: "127.0.0.1", port: Int(server.port)), version: .v5,
        cleanStart: false,
        resuming: resumption)
    }
    let publish = Publish(try Topic("t"), "x", qos: .exactlyOnce)
    #expect(try handle(nil).hand(publish).id == 1)
    #expect(try handle(Resumption(publishes: [(1, publish), (2, publish)], newest: 2)).hand(publish).id == 3)
    #expect(try handle(Resumption(publishes: [(500, publish)], newest: 700)).hand(publish).id == 701)
    let wrapping = Resumption(publishes: [(65_534, publish), (3, publish)], newest: 5)
    #expect(try handle(wrapping).hand(publish).id == 6)
    #expect(try handle(Resumption(publishes: [(7, publish)], newest: 65_535)).hand(publish).id == 1)
  }

  @Test(
    "mosquitto takes all of a burst: nothing is refused, and nothing acknowledged and forgotten",
    arguments: [ProtocolVersion.v5, .v311])
  func burst(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with(.init(configuration: ["max_queued_messages 0"])) { broker in
      try await withConnection(ConnectionOptions(broker)) { subscriber, recorder in
        _ = try await subscriber.subscribe([Subscribe(TopicFilter("n"))])
        try await withConnection(options(broker.port, version)) { publisher, publishing in
          let results = Collector<PublishResult>()
          let topic = try Topic("n")
          for number in 0..<1_000 {
            let qos = number % 4 == 0 ? QoS.atLeastOnce : .exactlyOnce
            publisher.publish(Publish(topic, "\(number)", qos: qos)) { results.add($0) }
          }
          try await eventually("not settled") { results.count == 1_000 }
          #expect(results.values.allSatisfy { $0 == .acknowledged(.success) })
          #expect(publishing.history.causes.isEmpty)
          try await eventually("lost") { recorder.count == 1_000 }
          // QoS 2 is passed on when it is released, so QoS 1 may come before it.
          for rest in 0..<4 {
            let numbers = recorder.texts.compactMap { Int($0) }.filter { $0 % 4 == rest }
            #expect(numbers == numbers.sorted() && numbers.count == 250)
          }
        }
      }
    }
  }
}
