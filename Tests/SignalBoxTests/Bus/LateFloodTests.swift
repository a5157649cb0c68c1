import Brokers
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

/// Those who come late while messages stream in.
@Suite(.timeLimit(.minutes(5))) struct LateFloodTests {
  #if TSAN
    private static let subscribers = 100
  #else
    private static let subscribers = 400
  #endif
  /// No more than mosquitto keeps for a client that is behind.
  private static let messages = 800

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `many late subscribers during a flood miss nothing and get nothing twice`(
    version: ProtocolVersion
  )
    async throws
  {
    try await withBroker(version: version) { broker, bus in
      let publisher = try Bus(.toward(broker))
      let total = Self.messages
      try await publisher.publish(Publish(Topic("f/0"), "0", retain: true))
      let early = Recorder(bus.signal("f/0", as: Int.self))
      try await eventually { early.values == [0] }
      let flood = Task {
        for number in 1...total {
          try await publisher.publish(Publish(Topic("f/0"), "\(number)", retain: true))
        }
      }
      var late: [Recorder<Int>] = []
      for index in 0..<Self.subscribers {
        late.append(Recorder(bus.signal("f/0", as: Int.self, late: .retained)))
        if index % 50 == 0 { await Task.yield() }
      }
      try await flood.value
      for one in late + [early] {
        try await eventually("\(one.values.suffix(3))") { one.values.last == total }
        let values = one.values
        #expect(values == Array(values[0]...total), "\(values.prefix(5))...")
        if values != Array(values[0]...total) { break }
      }
      await publisher.close()
    }
  }
}
