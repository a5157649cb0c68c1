import Brokers
import MQTT
import Peers
import SignalBox
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ESPHomeTests {
  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `numbers as text, one of them none, and a log in colour`(version: ProtocolVersion) async throws {
    try await withBroker(version: version) { broker, bus in
      let online = bus.readings("+/status", as: String.self).map { $0.value == "online" }
      let sensors = bus.readings("+/sensor/+/state", as: Double.self)
      let fan = bus.signal("cellar/switch/fan/state", as: Bool.self)
      let log = bus.signal("cellar/debug", as: String.self)
        .map { $0.replacing(/\u{1B}\[[0-9;]*m/, with: "") }

      let seen = (Recorder(online), Recorder(sensors), Recorder(fan), Recorder(log), Recorder(bus.problems))
      try await settled(bus)
      try await [
        Fixture("cellar/status", "online", retained: true),
        Fixture("cellar/sensor/humidity/state", "nan"),
        Fixture("cellar/sensor/humidity/state", "61.3"),
        Fixture("cellar/switch/fan/state", "ON", retained: true),
        Fixture("cellar/debug", "\u{1B}[0;36m[D][sensor:094]: 'Humidity': Sending state 61.30000 %\u{1B}[0m"),
      ].publish(broker)
      try await eventually { seen.3.values == ["[D][sensor:094]: 'Humidity': Sending state 61.30000 %"] }
      #expect(seen.0.values == [true])
      #expect(seen.1.values.map { "\($0.captures) \($0.value)" } == [#"["cellar", "humidity"] 61.3"#])
      #expect(seen.2.values == [true])
      #expect(seen.4.log == [#"next("cellar/sensor/humidity/state": "nan" is no number)"#])
    }
  }
}
