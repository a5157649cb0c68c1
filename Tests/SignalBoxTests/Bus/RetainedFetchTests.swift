import Brokers
import Foundation
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

/// Late subscribers of more topics than the bus remembers.
@Suite(.timeLimit(.minutes(5))) struct RetainedFetchTests {
  private static let topics = 60

  /// A broker that holds that many retained messages, and a bus that remembers few of them.
  private func withFewRemembered(
    _ version: ProtocolVersion, count: Int = 10,
    _ body: (LocalBroker, Bus, Recorder<Message>) async throws -> Void
  ) async throws {
    try await LocalBroker.with { broker in
      try await withBus(.toward(broker)) { publisher in
        for index in 0..<Self.topics {
          try await publisher.publish(Publish(Topic("s/\(index)"), "old \(index)", retain: true))
        }
      }
      let bus = try Bus(
        .toward(broker, version: version), linger: .zero, cacheLimits: QueueSize(count: count, bytes: 1 << 20)
      )
      let early = Recorder(bus.signal("s/#"))
      try await eventually { early.values.count == Self.topics }
      try await body(broker, bus, early)
      await bus.close()
    }
  }

  private func connects(_ broker: LocalBroker) -> Int {
    broker.log.count { $0.contains("New client connected") }
  }

  /// Those that are not over.
  private func open(_ broker: LocalBroker) -> Set<Substring> {
    broker.log.reduce(into: []) { open, line in
      if let match = line.firstMatch(of: #/New client connected from \S+ as (\S+) /#) { open.insert(match.1) }
      if let match = line.firstMatch(of: /Client (\S+) (disconnected|closed its connection)/) {
        open.remove(match.1)
      }
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `one gets what is remembered at once, the rest from the broker, each once`(version: ProtocolVersion)
    async throws
  {
    try await withFewRemembered(version) { broker, bus, early in
      let problems = Recorder(bus.problems)
      let before = connects(broker)
      let late = [
        Recorder(bus.signal("s/#")), Recorder(bus.signal("s/#")), Recorder(bus.signal("s/#", late: .none)),
      ]
      #expect(late.map(\.values.count) == [10, 10, 0])
      for one in late.dropLast() {
        try await eventually { one.values.count == Self.topics }
        #expect(Set(one.values.map(\.topic)).count == Self.topics)
      }
      // Live ones come in between and afterwards.
      try await Peer.publish(broker, "-t", "s/end", "-m", "x")
      for one in late { try await eventually { one.values.last?.topic == "s/end" } }
      #expect(late.map(\.values.count) == [Self.topics + 1, Self.topics + 1, 1])
      #expect(early.values.count == Self.topics + 1)
      #expect(connects(broker) - before == 3, "one for each, and the publisher of this test")
      #expect(
        problems.values.count == 2 && problems.values.allSatisfy { $0.reason.contains("asked once more") })
      #expect(bus.metrics.refetches == 2)
      try await eventually("a connection stays") { open(broker).count == 1 }
    }
  }

  @Test func `a live message is not followed by the older one that the broker had in store`() async throws {
    try await withFewRemembered(.v5) { broker, bus, _ in
      let gate = Recorder(bus.signal("s/#"))
      for round in 0..<20 { try await Peer.publish(broker, "-t", "s/\(round)", "-r", "-m", "new") }
      try await eventually { gate.values.count { $0.payload == Array("new".utf8) } == 20 }
      try await eventually("it asks for ever") { open(broker).count == 1 }
      #expect(Set(gate.values.map(\.topic)).count == Self.topics)
      for index in 0..<20 {
        let texts = gate.values.filter { $0.topic == "s/\(index)" }.map {
          String(decoding: $0.payload, as: UTF8.self)
        }
        #expect(texts.last == "new" && texts.count <= 2, "\(texts)")
      }
    }
  }

  @Test func `a bus that closes, or an observer that leaves, ends the asking`() async throws {
    try await withFewRemembered(.v5) { broker, bus, _ in
      let late = (0..<5).map { _ in Recorder(bus.signal("s/#")) }
      for one in late.dropFirst() { one.subscription.dispose() }
      try await eventually { late[0].values.count == Self.topics }
      let last = Recorder(bus.signal("s/#"))
      await bus.close()
      #expect(last.hasEnded && late[0].hasEnded)
      try await eventually("a connection stays") { open(broker).isEmpty }
    }
  }

  @Test func `a late subscriber that is slow gets all that is stored`() async throws {
    try await LocalBroker.with { broker in
      try await withBus(.toward(broker)) { publisher in
        for index in 0..<20 {
          try await publisher.publish(Publish(Topic("s/\(index)"), "old", retain: true))
        }
      }
      let bus = try Bus(.toward(broker), linger: .zero, cacheLimits: QueueSize(count: 0, bytes: 0))
      let early = Recorder(bus.signal("s/#"))
      try await eventually { early.values.count == 20 }
      let topics = Guarded<[String]>([])
      let late = bus.signal("s/#").subscribe { message in
        if topics.withLock({
          $0.append(message.topic); return $0.count
        }) == 1 {
          Thread.sleep(forTimeInterval: 1.2)
        }
      }
      try await eventually("\(topics.withLock { $0 })") { topics.withLock { $0.count } == 20 }
      late.dispose()
      await bus.close()
    }
  }

  @Test func `any number of late subscribers may leave before it is their turn`() async throws {
    try await LocalBroker.with { broker in
      let bus = try Bus(.toward(broker), linger: .zero, cacheLimits: QueueSize(count: 0, bytes: 0))
      try await bus.publish(Publish(Topic("s/1"), "old", retain: true))
      let early = Recorder(bus.signal("s/#"))
      try await eventually { early.values.count == 1 }
      let first = Recorder(bus.signal("s/#"))
      let leavers = (0..<20_000).map { _ in bus.signal("s/#").subscribe() }
      for one in leavers { one.dispose() }
      let last = Recorder(bus.signal("s/#"))
      try await eventually { first.values.count == 1 && last.values.count == 1 }
      await bus.close()
    }
  }

  @Test func `the broker dies in the middle of the asking`() async throws {
    try await LocalBroker.with(.init(storage: .temporary)) { broker in
      try await withBus(.toward(broker)) { publisher in
        for index in 0..<20 {
          try await publisher.publish(Publish(Topic("s/\(index)"), "old", retain: true))
        }
      }
      let bus = try Bus(.toward(broker), linger: .zero, cacheLimits: QueueSize(count: 5, bytes: 1_000))
      let problems = Recorder(bus.problems)
      let early = Recorder(bus.signal("s/#"))
      try await eventually { early.values.count == 20 }
      for round in 0..<4 {
        let late = Recorder(bus.signal("s/#"))
        #expect(late.values.count == 5)
        await broker.terminate()
        try await broker.restart()
        try await early.subscription.ready
        try await eventually("round \(round): \(Set(late.values.map(\.topic)).count) \(problems.log)") {
          Set(late.values.map(\.topic)).count == 20
        }
        late.subscription.dispose()
      }
      await bus.close()
    }
  }

  @Test func `what a busy broker sends after a long silence is not missed`() async throws {
    let isSent = Guarded(false)
    let broker = try ScriptedBroker { link in
      let stored = (0..<3).map { Packet.publish("s/\($0)", "x", retain: true) }
      try link.accept()
      try link.serve { packet in
        switch packet {
        case .subscribe(let subscribe) where link.number > 0:
          try link.send(.suback(subscribe.id, [.granted(0)]))
        case .subscribe(let subscribe):
          try link.send(.suback(subscribe.id, [.granted(1)]))
          for message in stored { try link.send(message) }
        // It is only now that this broker comes to it.
        case .unsubscribe(let unsubscribe) where link.number > 0 && unsubscribe.filters != ["s/#"]:
          let isFirst = isSent.withLock { isSent in
            defer { isSent = true }
            return !isSent
          }
          if isFirst { for message in stored { try link.send(message) } }
          try link.send(.unsuback(unsubscribe.id, [.success]))
        default: return false
        }
        return true
      }
    }
    let bus = try Bus(
      ConnectionOptions(host: "127.0.0.1", port: Int(broker.port)),
      cacheLimits: QueueSize(count: 1, bytes: 100))
    let early = Recorder(bus.signal("s/#"))
    try await eventually { early.values.count == 3 }
    let late = Recorder(bus.signal("s/#"))
    #expect(late.values.count == 1)
    try await eventually { late.values.count == 3 }
    await bus.close()
  }
}
