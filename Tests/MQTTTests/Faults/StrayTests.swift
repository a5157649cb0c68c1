import Brokers
import MQTT
import Peers
import Testing

/// Acknowledgements that belong to nothing, or come too often.
@Suite(.timeLimit(.minutes(3)))
struct StrayTests {
  @Test("Acknowledgements of what was never sent harm nothing", arguments: ProtocolVersion.both)
  func unknown(_ version: ProtocolVersion) async throws {
    try await heldLink(version) { link in
      try link.send(
        .puback(77), .pubcomp(78), .suback(79, [.granted(1)]), .unsuback(80, [.success]), .pingresp)
      // A broker that begins anew in the middle gets an answer that ends it.
      try link.send(.pubrel(81))
      try link.expectPubcomp(81)
      try link.send(.pubrec(82))
      try link.expectPubrel(82)
      try link.send(.pubcomp(82))
    }
  }

  @Test(
    "Acknowledgements of message 0 end the link, because there is none",
    arguments: [
      [0x40, 2, 0, 0], [0x50, 2, 0, 0], [0x62, 2, 0, 0], [0x70, 2, 0, 0], [0x90, 3, 0, 0, 0],
      [0xB0, 2, 0, 0],
    ] as [[UInt8]], ProtocolVersion.both)
  func zero(_ bytes: [UInt8], _ version: ProtocolVersion) async throws {
    let link = try await firstLink(version) { link in
      try link.send(bytes: bytes)
      try link.silence()
    }
    #expect(words(link.cause).contains("against MQTT"))
  }

  @Test(
    "A PUBACK that comes twice settles one message, and lets no more fly", arguments: ProtocolVersion.both)
  func twice(_ version: ProtocolVersion) async throws {
    try await heldLink(version, options: { $0.window = 1 }) { link in
      var last: UInt16?
      for number in 0..<5 {
        let publish = try link.expectPublish(to: "t", "\(number)", qos: 1)
        if let last {
          // Once more, while the next message flies alone.
          try link.send(.puback(last))
          try link.expectNothing(for: .milliseconds(30))
        }
        try link.send(.puback(publish.id), .puback(publish.id))
        last = publish.id
      }
    } _: { connection, _ in
      let results = Collector<PublishResult>()
      for number in 0..<5 { connection.publish(Publish(try Topic("t"), "\(number)")) { results.add($0) } }
      try await eventually("stuck at \(results.count)") { results.count == 5 }
      #expect(results.values == Array(repeating: .acknowledged(.success), count: 5))
    }
  }

  @Test("A handshake of QoS 2 survives each step twice", arguments: ProtocolVersion.both)
  func twiceAtQoS2(_ version: ProtocolVersion) async throws {
    try await heldLink(version) { link in
      let publish = try link.expectPublish(to: "t", "x", qos: 2)
      try link.send(.pubrec(publish.id), .pubrec(publish.id))
      try link.expectPubrel(publish.id)
      try link.expectPubrel(publish.id)
      try link.send(.pubcomp(publish.id), .pubcomp(publish.id))
    } _: { connection, _ in
      let results = Collector<PublishResult>()
      connection.publish(Publish(try Topic("t"), "x", qos: .exactlyOnce)) { results.add($0) }
      try await eventually("stuck") { results.count == 1 }
      #expect(results.values == [.acknowledged(.success)])
    }
  }

  @Test(
    "An acknowledgement of the wrong kind ends the link, and the message is sent again", arguments: [1, 2])
  func wrongKind(_ qos: UInt8) async throws {
    let broker = try ScriptedBroker(links: [
      { link in
        try link.accept()
        let id = try link.expectPublish(qos: qos).id
        try link.send(qos == 1 ? .pubcomp(id) : .puback(id))
        try link.silence()
      },
      { try $0.serve() },
    ])
    try await withConnection(ConnectionOptions(broker)) { connection, recorder in
      let quality = QoS(rawValue: Int(qos))!
      try #expect(
        await connection.publish(Publish(Topic("t"), "x", qos: quality)) == .acknowledged(.success))
      #expect(words(recorder.history.causes.first ?? nil).contains("against MQTT"))
    }
    try await broker.finish(links: 2)
  }
}
