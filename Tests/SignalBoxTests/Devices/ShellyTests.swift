import Brokers
import MQTT
import Peers
import SignalBox
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ShellyTests {
  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a relay of the second generation`(version: ProtocolVersion) async throws {
    try await withBroker(version: version) { broker, bus in
      struct Event: Decodable { let component: String, event: String, progress_percent: Double? }
      let online = bus.readings("+/online", as: Bool.self)
      let output = bus.readings("+/status/switch:0", at: "/output", as: Bool.self)
      let watts = bus.readings("+/events/rpc", at: "/params/switch:0/apower", as: Double.self)
      let events = bus.signal("shelly/events/rpc", at: "/params/events", as: [Event].self)
      let update = events.compactMap { $0.last { $0.event == "ota_progress" }?.progress_percent }

      let seen = (
        Recorder(online), Recorder(output), Recorder(watts), Recorder(update), Recorder(bus.problems)
      )
      try await settled(bus)
      try await [
        Fixture("shelly/online", "true", retained: true),
        Fixture(
          "shelly/status/switch:0",
          #"{"id":0,"source":"init","output":true,"apower":8.9,"voltage":237.5,"temperature":{"tC":28.6,"tF":83.6}}"#
        ),
        Fixture(
          "shelly/events/rpc",
          #"{"src":"shelly","dst":"shelly/events","method":"NotifyStatus","params":{"ts":1.5,"switch:0":{"id":0,"apower":9.1}}}"#
        ),
        Fixture(
          "shelly/events/rpc",
          #"{"src":"shelly","method":"NotifyStatus","params":{"ts":1.6,"wifi":{"rssi":-61}}}"#),
        Fixture(
          "shelly/events/rpc",
          """
          {"src":"shelly","method":"NotifyEvent","params":{"ts":1.7,"events":[{"component":"sys","event":"ota_begin",\
          "msg":"Waiting","ts":1.7}]}}
          """),
        Fixture(
          "shelly/events/rpc",
          """
          {"src":"shelly","method":"NotifyEvent","params":{"ts":1.8,"events":[{"component":"sys","event":"ota_progress",\
          "msg":"Download","progress_percent":42,"ts":1.8}]}}
          """),
        Fixture("shelly/online", "false", retained: true),
      ].publish(broker)
      try await eventually { seen.0.values.map(\.value) == [true, false] }
      #expect(seen.1.values.map(\.value) == [true])
      #expect(seen.2.values.map(\.value) == [9.1])
      #expect(seen.3.values == [42])
      #expect(seen.4.values.isEmpty)
    }
  }
}
