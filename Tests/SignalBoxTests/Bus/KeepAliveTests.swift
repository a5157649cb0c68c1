import Brokers
import Dispatch
import MQTT
import Peers
import SignalBox
import SignalsTesting
import Testing

/// A handler that takes longer than the broker waits for a sign of life.
@Suite(.timeLimit(.minutes(5))) struct KeepAliveTests {
  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a handler that blocks for longer than the keep-alive holds up its own bus and nothing else`(
    version: ProtocolVersion
  ) async throws {
    try await LocalBroker.with { broker in
      var options = ConnectionOptions.toward(broker, version: version)
      options.keepAlive = .seconds(5)
      let (bus, other) = (try Bus(options), try Bus(.toward(broker, version: version)))
      let (release, begun) = (DispatchSemaphore(value: 0), Guarded(false))
      let slow = bus.signal("slow").subscribe { _ in
        let isFirst = begun.withLock { begun in
          defer { begun = true }
          return !begun
        }
        if isFirst { release.wait() }
      }
      let behind = Recorder(bus.signal("behind"))
      let quick = Recorder(other.signal("quick"))
      for recorder in [behind, quick] { try await recorder.subscription.ready }
      try await slow.ready
      try await Peer.publish(broker, "-t", "slow", "-m", "x", "-q", "1")
      try await eventually { begun.withLock { $0 } }
      try await Peer.publish(broker, "-t", "behind", "-m", "x", "-q", "1")
      // Twice as long as the keep-alive: a broker gives a client up after one and a half.
      try await broker.waitForLog("Received PINGREQ from \(options.clientID)", count: 2)
      let stalled = try #require(bus.metrics.connection.stalledHandler)
      #expect(stalled.topic == "slow" && stalled.duration > .seconds(5))
      #expect(bus.metrics.description.contains(#"a handler of "slow" is at it for"#))
      #expect(other.metrics.connection.stalledHandler == nil)
      #expect(behind.values.isEmpty)
      for text in ["1", "2"] {
        try await Peer.publish(broker, "-t", "quick", "-m", text, "-q", "1")
        try await eventually { quick.values.last?.text == text }
      }
      try await bus.publish(Publish(Topic("quick"), "3"))
      try await eventually { quick.values.map(\.text) == ["1", "2", "3"] }
      release.signal()
      try await eventually { behind.values.count == 1 }
      try await eventually { bus.metrics.connection.stalledHandler == nil }
      #expect(bus.metrics.connection.connects == 1)
      slow.dispose()
      await bus.close()
      await other.close()
    }
  }
}
