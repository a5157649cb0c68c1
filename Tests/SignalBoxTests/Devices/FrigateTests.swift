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
      struct Event: Decodable { let camera: String, label: String, score: Double }
      struct Change: Decodable { let type: String, before: Event?, after: Event? }
      enum Sight { case change(Change), picture([UInt8]) }
      let sights = bus.readings("frigate/#") { message -> Sight? in
        if message.topic.hasSuffix("/snapshot") { return .picture(message.payload) }
        guard message.topic == "frigate/events" else { return nil }
        return .change(try JSONDecoder().decode(Change.self, from: Data(message.payload)))
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
          """
          {"type":"new","before":{"id":"1767949200.1-abc","camera":"yard","frame_time":1767949200.1,"snapshot":null,\
          "label":"person","sub_label":null,"top_score":0.0,"false_positive":true,"end_time":null,"score":0.71,\
          "box":[424,500,536,712],"current_zones":[],"stationary":false},\
          "after":{"id":"1767949200.1-abc","camera":"yard","frame_time":1767949200.9,"snapshot":{"frame_time":1767949200.9,\
          "box":[415,489,528,700],"score":0.78},"label":"person","sub_label":null,"top_score":0.78,"false_positive":false,\
          "end_time":null,"score":0.78,"box":[415,489,528,700],"current_zones":["gate"],"stationary":false}}
          """),
        Fixture("frigate/yard/person/snapshot", bytes: Self.picture, retained: true),
        Fixture("frigate/events", bytes: Self.picture),
      ].publish(broker)
      try await eventually { seen.1.values.count == 2 }
      try await eventually { pictures.values.map(\.value) == [Self.picture] }
      #expect(
        seen.0.values.map {
          switch $0.value {
          case .change(let change):
            "\(change.type) \(change.before?.score ?? 0) \(change.after?.camera ?? "?") \(change.after?.score ?? 0)"
          case .picture(let bytes): "\($0.captures) \(bytes.count)"
          }
        } == ["new 0.71 yard 0.78", #"["yard/person/snapshot"] \#(Self.picture.count)"#])
      #expect(pictures.values.first?.captures == ["yard", "person"])
      #expect(persons.values == [0.78])
      #expect(
        Set(seen.1.values.map(\.reason)) == ["the payload is not JSON", "the payload is no number: not JSON"])
      #expect(seen.1.values.allSatisfy { $0.payloadStart.count == 64 })
    }
  }
}
