import Brokers
import Fuzzing
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

/// Any interleaving of coming and going ends in what is wanted, and costs those who stay nothing.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BusChurnTests {
  #if TSAN
    private static let operations = 2_500
  #else
    private static let operations = 25_000
  #endif
  private static let threads = 8
  private static let restarts = 3
  private static let numbers = 40

  private static let filters: [TopicFilter] =
    ([
      "#", "+/#", "f/#", "f/+/x", "f/+/+", "+/+/x", "f/+", "+/+", "f/3/#", "+/3/x", "f/3/x", "f/4", "f/4/#",
      "g/#", "g/+", "g/0", "+", "f", "$x/#", "/#",
    ] + (0..<15).flatMap { ["f/\($0 + 10)", "f/\($0 + 10)/x"] }).compactMap { try? TopicFilter($0) }
  private static let stable = ["f/3/x", "f/+/x", "f/4", "g/+"].compactMap { try? TopicFilter($0) }
  private static let topics = ["f/3/x", "f/4", "g/0", "f/10/x", "g/1"]

  @Test(arguments: [ProtocolVersion.v5, .v311], [Duration.zero, .milliseconds(5)])
  func `eight threads that come and go while the broker restarts end in what is wanted`(
    version: ProtocolVersion, linger: Duration
  ) async throws {
    let seed = UInt64.random(in: 0..<(.max))
    try await withBroker(version: version, linger: linger) { broker, bus in
      let stable = Self.stable.map { Recorder(bus.signal($0)) }
      let rounds = 2 * Self.restarts + 1
      let churn = Churn(
        bus, Self.filters, threads: Self.threads, operations: Self.operations / Self.threads / rounds,
        rounds: rounds, seed: seed)
      let publisher = try Bus(.toward(broker))
      var sent: [(topic: String, text: String)] = []
      for round in 0...Self.restarts {
        // It is connected, and those who stay are served.
        try await eventually("no link: \(bus.metrics)") { bus.metrics.connection.connects == round + 1 }
        for recorder in stable { try await recorder.subscription.ready }
        churn.begin()
        for number in 0..<Self.numbers {
          let topic = Self.topics[number % Self.topics.count]
          sent.append((topic, "\(round).\(number)"))
          try await publisher.publish(Publish(Topic(topic), sent.last!.text))
        }
        for (filter, recorder) in zip(Self.stable, stable) {
          let expected = sent.filter { filter.matches($0.topic) }.map { "\($0.topic) \($0.text)" }
          try await eventually("\(filter) lacks some, seed \(seed)") {
            recorder.values.count >= expected.count
          }
          let values = recorder.values.map(\.description)
          // In MQTT 3.1.1 mosquitto sends a message once, for the filter that it finds first: if that is one of QoS 0,
          // ahead of earlier ones of QoS 1.
          #expect(
            version == .v5 ? values == expected : values.sorted() == expected.sorted(),
            "\(filter): \(values), seed \(seed)")
        }
        guard round < Self.restarts else { break }
        churn.begin()
        if round % 2 == 0 { await broker.kill() } else { await broker.terminate() }
        try await broker.restart()
      }
      try await eventually("threads hang, seed \(seed)") { churn.finished == rounds * Self.threads }
      try await expectHeld(broker, bus, version, churn, seed)
      for listener in churn.listeners { listener.dispose() }
      try await expectHeld(broker, bus, version, churn, seed)
      #expect(bus.snapshot().subscriptions.count == Self.stable.count, "seed \(seed)")
      #expect(churn.messages.all > Self.numbers, "too few to tell: seed \(seed)")
      #expect(churn.messages.toDeaf == 0, "seed \(seed)")
      await publisher.close()
    }
  }

  /// When it is quiet, the broker has what those want who listen.
  private func expectHeld(
    _ broker: LocalBroker, _ bus: Bus, _ version: ProtocolVersion, _ churn: Churn, _ seed: UInt64
  ) async throws {
    let listening = Set(churn.listeners.map(\.filter) + Self.stable)
    try await eventually("not settled, seed \(seed): \(bus.snapshot())") {
      let snapshot = bus.snapshot()
      // Lingers end, too.
      return snapshot.isSettled && snapshot.subscriptions.allSatisfy { $0.observers > 0 }
    }
    let snapshot = bus.snapshot()
    #expect(Set(snapshot.subscriptions.map(\.filter)) == listening, "seed \(seed)")
    // Never lowered, so only the bus knows the QoS; but no lower than anybody's.
    let wanted = Dictionary(uniqueKeysWithValues: snapshot.subscriptions.map { ($0.filter, $0.wanted!) })
    for listener in churn.listeners {
      #expect(wanted[listener.filter]! >= listener.qos, "\(listener.filter), seed \(seed)")
    }
    let expected = version == .v311 ? covering(wanted) : Set(wanted.keys.map(\.name))
    let held = broker.held
    #expect(held.keys.sorted() == expected.sorted(), "seed \(seed)")
    for (filter, qos) in wanted {
      if let got = held[filter.name] { #expect(got == Int(qos.rawValue), "\(filter), seed \(seed)") }
    }
  }
}
