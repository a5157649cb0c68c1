import Brokers
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct HomieTests {
  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a device of the convention, everything of it retained`(version: ProtocolVersion) async throws {
    try await withBroker(version: version) { broker, bus in
      try await [
        Fixture("homie/5/boiler/$state", "init", retained: true),
        Fixture("homie/5/boiler/$state", "ready", retained: true),
        Fixture(
          "homie/5/boiler/$description",
          #"{"homie":"5.0","version":3,"nodes":{"water":{"properties":{"temperature":{"datatype":"float","unit":"°C"}}}}}"#,
          retained: true),
        Fixture("homie/5/boiler/water/temperature", "54.50", retained: true),
        Fixture("homie/5/boiler/water/heating", "true", retained: true),
        Fixture("homie/5/boiler/water/message", bytes: [0], retained: true),
      ].publish(broker)

      let states = bus.readings("homie/5/+/$state", as: String.self)
      let unit = bus.signal(
        "homie/5/boiler/$description", at: "/nodes/water/properties/temperature/unit", as: String.self)
      let temperature = bus.readings("homie/5/+/water/temperature", as: Double.self)
      let isHeating = bus.signal("homie/5/boiler/water/heating", as: Bool.self)
      // An empty text is one zero byte there: an empty payload would clear the topic.
      let text = bus.signal("homie/5/boiler/water/message", as: String.self).map { $0 == "\0" ? "" : $0 }
      let setpoint = try bus.subject(to: "homie/5/boiler/water/temperature/set", as: Double.self)

      let asked = Recorder(bus.signal("homie/5/boiler/water/temperature/set", as: Double.self))
      let seen = (
        Recorder(states), Recorder(unit), Recorder(temperature), Recorder(isHeating), Recorder(text)
      )
      let problems = Recorder(bus.problems)
      try await settled(bus)
      setpoint.send(55)
      try await eventually { asked.values == [55] }
      try await eventually { seen.4.values == [""] && seen.2.values.map(\.value) == [54.5] }
      try await eventually { seen.0.values.map(\.value) == ["ready"] && seen.1.values == ["°C"] }
      try await eventually { seen.3.values == [true] }
      try await Fixture("homie/5/boiler/$state", "lost", retained: true).publish(broker)
      try await eventually { seen.0.values.map(\.value) == ["ready", "lost"] }
      #expect(seen.0.values.first?.captures == ["boiler"])
      #expect(problems.values.isEmpty)
    }
  }
}
