import Brokers
import MQTT
import Peers
import SignalBox
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct OwnTracksTests {
  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `places of people, among messages of other kinds`(version: ProtocolVersion) async throws {
    try await withBroker(version: version) { broker, bus in
      struct Report: Decodable { let _type: String, lat: Double?, lon: Double?, tst: Int }
      let reports = bus.readings("owntracks/+/+", as: Report.self)
      let places = reports.filter { $0.value._type == "location" }
      let lost = reports.filter { $0.value._type == "lwt" }.map { $0.captures[0] }

      let seen = (Recorder(places), Recorder(lost), Recorder(bus.problems))
      try await settled(bus)
      try await [
        Fixture(
          "owntracks/ann/phone",
          #"{"_type":"location","acc":12,"batt":78,"lat":52.5163,"lon":13.3777,"t":"u","tid":"an","tst":1767949200}"#,
          retained: true),
        Fixture(
          "owntracks/ann/phone/event",
          #"{"_type":"transition","desc":"home","event":"leave","tst":1767949201}"#),
        Fixture("owntracks/ann/phone", #"{"_type":"lwt","tst":1767949200}"#),
      ].publish(broker)
      try await eventually { seen.1.values == ["ann"] }
      #expect(seen.0.values.map { $0.value.lat } == [52.5163])
      #expect(seen.2.values.isEmpty)
    }
  }
}
