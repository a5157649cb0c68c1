import Brokers
import Foundation
import MQTT
import Peers
import SignalBox
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct FrigateTests {
  /// As a picture begins, with bytes that are no text, and ends.
  private static let picture: [UInt8] =
    [0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10] + Array("JFIF\0".utf8) + (0..<2_000).map { UInt8($0 % 256) } + [
      0xff, 0xd9,
    ]

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `events and pictures under one filter`(version: ProtocolVersion) async throws {
    try await withBroker(version: version) { broker, bus in
      struct Event: Codable { let camera: String, label: String, score: Double }
      enum Sight { case event(Event), picture([UInt8]) }
      let sights = bus.readings("frigate/#") { message -> Sight? in
        if message.topic.hasSuffix("/snapshot") { return .picture(message.payload) }
        guard message.topic == "frigate/events" else { return nil }
        let change = try JSONDecoder().decode([String: Event?].self, from: Data(message.payload))
        return change["after"]?.map { .event($0) }
      }

      let seen = (Recorder(sights), Recorder(bus.problems))
      let persons = Recorder(bus.signal("frigate/events", at: "/after/score", as: Double.self))
      let pictures = Recorder(bus.readings("frigate/+/+/snapshot", as: [UInt8].self))
      try await settled(bus)
      try await [
        Fixture("frigate/available", "online", retained: true),
        Fixture("frigate/yard/person", "1"),
        Fixture(
          "frigate/events",
          #"{"before":null,"after":{"id":"1767949200.1-abc","camera":"yard","label":"person","score":0.78,"zones":["gate"]}}"#
        ),
        Fixture("frigate/yard/person/snapshot", bytes: Self.picture, retained: true),
        Fixture("frigate/events", bytes: Self.picture),
      ].publish(broker)
      try await eventually { seen.1.values.count == 2 }
      try await eventually { pictures.values.map(\.value) == [Self.picture] }
      #expect(
        seen.0.values.map {
          switch $0.value {
          case .event(let event): "\(event.camera) \(event.label)"
          case .picture(let bytes): "\($0.captures) \(bytes.count)"
          }
        } == ["yard person", #"["yard/person/snapshot"] \#(Self.picture.count)"#])
      #expect(pictures.values.first?.captures == ["yard", "person"])
      #expect(persons.values == [0.78])
      #expect(seen.1.values.allSatisfy { $0.reason == "not JSON" && $0.payloadStart.count == 64 })
    }
  }
}
