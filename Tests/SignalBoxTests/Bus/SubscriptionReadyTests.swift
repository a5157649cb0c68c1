import Brokers
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

/// `ready` of the subscriptions of a bus: the SUBACK has come.
@Suite(.timeLimit(.minutes(5))) struct SubscriptionReadyTests {
  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `what another client publishes after ready arrives`(version: ProtocolVersion) async throws {
    try await withBroker(version: version) { broker, bus in
      let other = try Bus(.toward(broker, version: version))
      try await other.connect()
      for number in 0..<50 {
        let recorder = Recorder(bus.signal("race/\(number)", as: Int.self).map { $0 + 1 })
        try await recorder.subscription.ready
        try await other.publish(Publish(Topic("race/\(number)"), "\(number)"))
        try await eventually { recorder.values == [number + 1] }
        // Who joins what is live need not wait.
        try await bus.signal("race/\(number)").subscribe().ready
      }
      await other.close()
    }
  }

  @Test func `it waits for a broker that is away, and goes on doing so when a task gives up`() async throws {
    try await withBroker { broker, bus in
      await broker.kill()
      let subscription = bus.signal("a").subscribe()
      let leaving = Task { try await subscription.ready }
      leaving.cancel()
      await #expect(throws: CancellationError.self) { try await leaving.value }
      let staying = Task { try await subscription.ready }
      try await broker.restart()
      try await staying.value
      #expect(broker.packets("SUBSCRIBE") == 1)
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a refusal is thrown`(version: ProtocolVersion) async throws {
    let rules = try SubscriptionRules(allowing: "open/#")
    try await withBroker(.init(configuration: try rules.configuration), version: version) { _, bus in
      let filter = try TopicFilter("secret/#")
      let subscription = bus.signal("secret/#").filter { _ in true }.subscribe()
      let code: ReasonCode = version == .v5 ? .notAuthorized : .unspecified
      await #expect(throws: BusError.subscriptionRefused(filter, code)) { try await subscription.ready }
      try await bus.signal("open/a").subscribe().ready
    }
  }

  private typealias Shape = @Sendable (Bus) -> Subscription

  @Test func `a bus that closes is no bus that is ready, through every operator`() async throws {
    let shapes: [(String, Shape)] = [
      ("plain", { $0.signal("a").subscribe() }),
      ("values", { $0.signal("a", as: Int.self).map { $0 + 1 }.subscribe() }),
      ("take", { $0.signal("a").take(9).subscribe() }),
      ("observed", { $0.signal("a").handleEvents(disposed: {}).subscribe() }),
      ("shared", { $0.signal("a").take(9).shared().subscribe() }),
      ("merge", { $0.signal("a").merge(with: $0.signal("b")).subscribe() }),
      ("flatMap", { $0.signal("a").flatMap { Signal.just($0) }.subscribe() }),
      ("catch", { $0.signal("a").catch { _ in .empty }.subscribe() }),
    ]
    try await withBroker { broker, bus in
      await broker.kill()
      let subscriptions = shapes.map { $1(bus) }
      let waiting = subscriptions.map { subscription in Task { try await subscription.ready } }
      await bus.close(deadline: .zero)
      for (index, (name, _)) in shapes.enumerated() {
        await #expect(throws: BusError.closed, "\(name)") { try await waiting[index].value }
        await #expect(throws: BusError.closed, "\(name), late") { try await subscriptions[index].ready }
        #expect(subscriptions[index].isDisposed)
      }
    }
  }

  @Test func `what had enough before the bus was closed was not ended by that`() async throws {
    try await withBroker { _, bus in
      let subscription = bus.signal("a").take(1).subscribe()
      let other = bus.signal("a").merge(with: bus.signal("b")).take(1).subscribe()
      try await other.ready
      try await bus.publish(Publish(Topic("a"), "x"))
      try await eventually { subscription.isDisposed && other.isDisposed }
      await bus.close()
      try await subscription.ready
      try await other.ready
    }
  }
}
