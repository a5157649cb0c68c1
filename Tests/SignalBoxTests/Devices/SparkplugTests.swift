import Brokers
import MQTT
import Peers
import SignalBox
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct SparkplugTests {
  /// A payload with a time and a metric by its alias: a protobuf, with bytes that are no text.
  private static let data: [UInt8] = [
    0x08, 0xf8, 0xc0, 0xaf, 0xd5, 0xba, 0x33, 0x12, 0x0b, 0x10, 0x02, 0x20, 0x0a, 0x6d, 0x00, 0x00, 0xac,
    0x41,
    0x70, 0x00, 0x18, 0x07,
  ]

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `the bytes of a plant, for a decoder of its own`(version: ProtocolVersion) async throws {
    try await withBroker(version: version) { broker, bus in
      let messages = bus.readings("spBv1.0/plant/+/#", as: [UInt8].self)
      let births = messages.filter { $0.captures[0].hasSuffix("BIRTH") }
      let data = messages.filter { $0.captures[0].hasSuffix("DATA") }
      let online = bus.readings("spBv1.0/STATE/+", at: "/online", as: Bool.self)

      let seen = (Recorder(births), Recorder(data), Recorder(online), Recorder(bus.problems))
      try await settled(bus)
      try await [
        Fixture("spBv1.0/STATE/scada", #"{"online":true,"timestamp":1767949200000}"#, retained: true),
        Fixture("spBv1.0/plant/NBIRTH/press", bytes: [0x08, 0x01, 0x18, 0x00]),
        Fixture("spBv1.0/plant/DDATA/press/oven", bytes: Self.data),
      ].publish(broker)
      try await eventually {
        seen.1.values.map(\.value) == [Self.data] && seen.2.values.map(\.value) == [true]
      }
      #expect(seen.0.values.map(\.captures) == [["NBIRTH", "press"]])
      #expect(seen.1.values.map(\.captures) == [["DDATA", "press/oven"]])
      #expect(seen.3.values.isEmpty)
    }
  }
}
