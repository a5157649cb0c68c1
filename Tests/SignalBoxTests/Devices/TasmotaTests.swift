import Brokers
import MQTT
import Peers
import SignalBox
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct TasmotaTests {
  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a plug with a sensor`(version: ProtocolVersion) async throws {
    try await withBroker(version: version) { broker, bus in
      try await Fixture("tele/plug/LWT", "Online", retained: true).publish(broker)

      let online = bus.readings("tele/+/LWT", as: String.self).map { $0.value == "Online" }
      let power = bus.readings("stat/+/POWER", as: Bool.self)
      let temperature = bus.readings("tele/+/SENSOR", at: "/AM2301/Temperature", as: Double.self)
      let plug = try bus.subject(to: "cmnd/plug/POWER", as: String.self)

      let asked = Recorder(bus.signal("cmnd/plug/POWER", as: String.self))
      let seen = (Recorder(online), Recorder(power), Recorder(temperature), Recorder(bus.problems))
      try await settled(bus)
      plug.send("TOGGLE")
      try await [
        Fixture("stat/plug/RESULT", #"{"POWER":"ON"}"#),
        Fixture("stat/plug/POWER", "ON"),
        Fixture(
          "tele/plug/STATE",
          #"{"Time":"2026-01-09T10:00:00","Uptime":"0T01:00:12","POWER":"ON","Wifi":{"RSSI":74,"Signal":-63}}"#
        ),
        Fixture(
          "tele/plug/SENSOR",
          #"{"Time":"2026-01-09T10:00:00","AM2301":{"Temperature":21.4,"Humidity":48.9},"TempUnit":"C"}"#),
        Fixture("tele/plug/SENSOR", #"{"Time":"2026-01-09T10:05:00","ENERGY":{"Power":12,"Total":3.21}}"#),
        Fixture("tele/plug/LWT", "Offline", retained: true),
        Fixture("stat/plug/POWER", "OFF"),
      ].publish(broker)
      try await eventually { seen.0.values == [true, false] && seen.1.values.map(\.value) == [true, false] }
      try await eventually { asked.values == ["TOGGLE"] }
      #expect(seen.1.values.first?.captures == ["plug"])
      #expect(seen.2.values.map(\.value) == [21.4])
      #expect(seen.3.values.isEmpty)
    }
  }
}
