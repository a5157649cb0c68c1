import Brokers
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

/// How long the broker keeps what nobody listens to any more.
@Suite(.timeLimit(.minutes(5))) struct LingerTests {
  @Test(arguments: [Duration.seconds(Int64.max), .seconds(1.7e20)])
  func `a linger for ever`(linger: Duration) async throws {
    try await withBroker(linger: linger) { broker, bus in
      for _ in 0..<3 {
        let one = bus.signal("a").subscribe()
        try await one.ready
        one.dispose()
      }
      #expect(broker.packets("SUBSCRIBE") == 1 && broker.packets("UNSUBSCRIBE") == 0)
      #expect(bus.snapshot().subscriptions.count == 1)
    }
  }

  @Test func `a linger ends at its time and not for who comes back at the last moment`() async throws {
    let time = VirtualScheduler()
    try await LocalBroker.with { broker in
      let bus = try Bus(.toward(broker), linger: .seconds(2), scheduler: time)
      var one = bus.signal("a").subscribe()
      let other = bus.signal("b").subscribe()
      try await one.ready
      try await other.ready
      one.dispose()
      time.advance(by: .seconds(1))
      other.dispose()
      time.advance(by: .milliseconds(999))
      one = bus.signal("a").subscribe()
      try await one.ready
      time.advance(by: .milliseconds(1))
      #expect(bus.snapshot().subscriptions.count == 2)
      time.advance(by: .milliseconds(999))
      #expect(bus.snapshot().subscriptions.count == 2)
      time.advance(by: .milliseconds(1))
      try await settled(bus)
      #expect(bus.snapshot().subscriptions.map(\.filter.name) == ["a"])
      one.dispose()
      time.advance(by: .milliseconds(1_999))
      #expect(bus.snapshot().subscriptions.count == 1)
      time.advance(by: .milliseconds(1))
      try await eventually { bus.snapshot().subscriptions.isEmpty }
      #expect(broker.packets("SUBSCRIBE") == 2)
      await bus.close()
    }
  }
}
