import Brokers
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct Zigbee2MQTTTests {
  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `sensors, lamps, and an update that tells its progress`(version: ProtocolVersion) async throws {
    try await withBroker(version: version) { broker, bus in
      try await Fixture("zigbee2mqtt/attic/availability", #"{"state":"online"}"#, retained: true).publish(
        broker)

      struct Update: Decodable { let state: String?, progress: Double?, remaining: Double? }
      let temperature = bus.readings("zigbee2mqtt/+", at: "/temperature", as: Double.self)
      let state = bus.readings("zigbee2mqtt/lamp", at: "/state", as: Bool.self)
      let cover = bus.readings("zigbee2mqtt/cover", at: "/state", as: String.self)
      let availability = bus.readings("zigbee2mqtt/+/availability", at: "/state", as: String.self)
      let updates = bus.signal("zigbee2mqtt/lamp", at: "/update", as: Update.self)
      let progress = updates.compactMap { $0.progress }.map { ProgressUpdate.percent($0) }

      let seen = (Recorder(temperature), Recorder(state), Recorder(availability), Recorder(progress))
      let covers = Recorder(cover)
      let problems = Recorder(bus.problems)
      try await settled(bus)
      try await [
        Fixture(
          "zigbee2mqtt/attic", #"{"battery":91,"humidity":48.2,"linkquality":105,"temperature":19.87}"#),
        Fixture("zigbee2mqtt/attic", #"{"battery":91,"humidity":48.2,"linkquality":97,"temperature":null}"#),
        Fixture(
          "zigbee2mqtt/cover", #"{"linkquality":142,"position":100,"state":"OPEN","update":{"state":null}}"#),
        Fixture("zigbee2mqtt/lamp", #"{"state":"ON","update":{"state":null}}"#),
        Fixture(
          "zigbee2mqtt/lamp",
          #"{"brightness":120,"color":{"x":0.31,"y":0.33},"state":"ON","update":{"state":"idle"}}"#),
        Fixture(
          "zigbee2mqtt/lamp",
          #"{"state":"ON","update":{"progress":17.63,"remaining":884,"state":"updating"}}"#),
        Fixture("zigbee2mqtt/lamp", #"{"state":"OFF","update_available":false,"update":{"state":"idle"}}"#),
      ].publish(broker)
      try await eventually { seen.1.values.map(\.value) == [true, true, true, false] }
      #expect(covers.values.map(\.value) == ["OPEN"])
      #expect(seen.0.values.map(\.value) == [19.87])
      #expect(seen.0.values.first?.captures == ["attic"])
      #expect(seen.2.values.map(\.value) == ["online"])
      #expect(seen.2.values.first?.isRetained == true)
      #expect(seen.3.values == [.percent(17.63)])
      #expect(problems.values.isEmpty)
    }
  }
}
