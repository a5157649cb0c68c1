import Brokers
import Fuzzing
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

/// Whoever observes whatever gets what its filter says, once.
@Suite(.timeLimit(.minutes(5))) struct OverlapTests {
  private static let levels = ["a", "b", "", "$x"]
  #if TSAN
    private static let rounds = 20
  #else
    private static let rounds = 80
  #endif

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `whatever the filters, each observer gets each message that its own matches, once`(
    version: ProtocolVersion
  ) async throws {
    var dice = Dice(seed: .random(in: 0..<(.max)))
    try await withBroker(version: version) { broker, bus in
      let publisher = try Bus(.toward(broker))
      let ends = Recorder(bus.signal("z/end"))
      var (matched, overlaps) = (0, 0)
      for round in 0..<Self.rounds {
        let filters = (0...dice.roll(8)).map { _ in Self.filter(&dice) }
        let topics = (0..<12).map { _ in Self.topic(&dice) } + ["z/end"]
        let recorders = filters.map { filter in
          Recorder(bus.signal(filter, qos: dice.pick([.atMostOnce, .atLeastOnce])))
        }
        for recorder in recorders + [ends] { try await recorder.subscription.ready }
        for (index, topic) in topics.enumerated() {
          try await publisher.publish(Publish(Topic(topic), "\(round).\(index)"))
        }
        // Where there are several of a QoS, they come in order.
        try await eventually("round \(round)") { ends.values.count == round + 1 }
        for (filter, recorder) in zip(filters, recorders) {
          let expected = topics.enumerated().filter { filter.matches($1) }.map { "\($1) \(round).\($0)" }
          // One that asks for QoS 0 may have what is sent at QoS 1 to others later.
          try await eventually("\(filter) in \(filters): \(recorder.log), seed \(dice.seed)") {
            recorder.values.count >= expected.count
          }
          #expect(
            recorder.values.map(\.description).sorted() == expected.sorted(),
            "\(filter) in \(filters), seed \(dice.seed)")
          matched += expected.count
        }
        overlaps += topics.count { topic in filters.count { $0.matches(topic) } > 1 }
        for recorder in recorders { recorder.subscription.dispose() }
      }
      #expect(matched > Self.rounds && overlaps > Self.rounds, "too few to tell: seed \(dice.seed)")
      try await settled(bus)
      #expect(broker.held.keys.sorted() == ["z/end"], "seed \(dice.seed)")
      await publisher.close()
    }
  }

  private static func filter(_ dice: inout Dice) -> TopicFilter {
    while true {
      var parts = (0...dice.roll(3)).map { _ in dice.chance(35) ? "+" : dice.pick(levels) }
      if dice.chance(30) { parts[parts.count - 1] = "#" }
      if let filter = try? TopicFilter(parts.joined(separator: "/")) { return filter }
    }
  }

  private static func topic(_ dice: inout Dice) -> String {
    while true {
      let topic = (0...dice.roll(3)).map { _ in dice.pick(levels) }.joined(separator: "/")
      if !topic.isEmpty { return topic }
    }
  }
}
