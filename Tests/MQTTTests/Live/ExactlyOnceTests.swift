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
      var held: Set<Int> = []
      var passedOn: [Int] = []
      var isCut = false
    }

    let state = Lock(State())
  }

  private func options(_ port: Int, _ version: ProtocolVersion) -> ConnectionOptions {
    var options = ConnectionOptions(host: "127.0.0.1", port: port)
    options.version = version
    options.backoff = .init(initial: .milliseconds(1), maximum: .milliseconds(20))
    options.connectDeadline = .seconds(60)
    options.sessionExpiry = .seconds(600)
    return options
  }

  /// A broker that passes a message of QoS 2 on when it first sees its id, as the specification allows (4.3.3), and cuts the
  /// link once, at the fourth such message or the first release: a later cut could take an earlier release's answer along.
  private func server(_ cut: Cut, _ version: ProtocolVersion, _ kept: Kept) throws -> FakeServer {
    try FakeServer { client in
      var sent = 0
      var released = 0
      func isCutting(_ now: Cut) -> Bool {
        guard now == cut, now == .beforePubrec ? sent == 4 : released == 1 else { return false }
        return kept.state.withLock { kept in
          defer { kept.isCut = true }
          return !kept.isCut
        }
      }
      while let packet = client.receive() {
        switch packet.type {
        case 1:
          let present: UInt8 = client.number == 0 ? 0 : 1
          client.send(version == .v5 ? [0x20, 3, present, 0, 0] : [0x20, 2, present, 0])
        case 3:
          guard let id = packet.publishID, let last = packet.body.last else { continue }
          let isTwo = packet.head & 0x06 == 4
          kept.state.withLock { kept in
            if !isTwo || kept.held.insert(id).inserted { kept.passedOn.append(Int(last)) }
          }
          if isTwo { sent += 1 }
          if isTwo, isCutting(.beforePubrec) { return client.end() }
          client.send([isTwo ? 0x50 : 0x40, 2, UInt8(id >> 8), UInt8(id & 0xFF)])
        case 6:
          released += 1
          if isCutting(.beforePubrel) { return client.end() }
          _ = kept.state.withLock { $0.held.remove(Int(packet.id[0]) << 8 + Int(packet.id[1])) }
          if isCutting(.afterPubrel) { return client.end() }
          client.send([0x70, 2] + packet.id)
        default: continue
        }
      }
    }
  }

  @Test(
    "A link that breaks at any step of the handshake loses nothing, keeps the order, and frees every id",
    arguments: Cut.allCases, [ProtocolVersion.v5, .v311])
  func cutAtEachStep(_ cut: Cut, _ version: ProtocolVersion) async throws {
    let kept = Kept()
    let server = try server(cut, version, kept)
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
      if cut != .afterPubrel {
        #expect(passedOn.filter { $0 % 3 != 0 }.count == 13, "twice: \(passedOn)")
      }
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
        let proxy = try PacketProxy(to: Int(broker.port)) { client, packet in
          guard client < 3, packet.type == 5 else { return true }
          swallowed.withLock { $0[client] += 1 }
          return false
        }
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
    let server = try FakeServer { client in
      guard client.number == 0 else { return client.end() }
      while let packet = client.receive() {
        if packet.type == 1 { client.send(FakeClient.accept) }
        if packet.type == 3 { return client.end() }
      }
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
    let server = try FakeServer { _ in [] }
    func handle(_ resumption: Resumption?) throws -> Handle {
      try Handle(
        ConnectionOptions(host: "127.0.0.1", port: server.port),
        address: Address(host: "127.0.0.1", port: server.port), version: .v5, cleanStart: false,
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
        try await withConnection(options(Int(broker.port), version)) { publisher, publishing in
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
