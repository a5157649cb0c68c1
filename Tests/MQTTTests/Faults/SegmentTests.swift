import Brokers
import MQTT
import Peers
import Testing

/// Packets in pieces, packets in one piece, and pieces without their rest.
@Suite(.timeLimit(.minutes(3)))
struct SegmentTests {
  @Test("A whole session byte by byte is the same as any other", arguments: ProtocolVersion.both)
  func byteByByte(_ version: ProtocolVersion) async throws {
    let broker = try ScriptedBroker { link in
      try link.expectConnect()
      try link.sendByteByByte(.connack())
      let subscribe = try link.expectSubscribe(to: "in/#")
      try link.sendByteByByte(.suback(subscribe.id, [.granted(1)]))
      try link.sendByteByByte(
        .publish(
          "in/0", "zero", retain: true, properties: [.contentType("text/plain"), .userProperty("k", "v")]),
        .publish("in/1", String(repeating: "1", count: 150), qos: 1, id: 300),
        .publish("in/2", "", qos: 1, id: 301))
      try link.expectPuback(300)
      try link.expectPuback(301)
      let one = try link.expectPublish(to: "out", "1", qos: 1)
      try link.sendByteByByte(.puback(one.id, .noMatchingSubscribers))
      let two = try link.expectPublish(to: "out", "2", qos: 2)
      try link.sendByteByByte(.pubrec(two.id))
      try link.expectPubrel(two.id)
      try link.sendByteByByte(.pubcomp(two.id))
      let unsubscribe = try link.expectUnsubscribe(from: "in/#")
      try link.sendByteByByte(.unsuback(unsubscribe.id, [.success]), .pingresp)
      try link.expectDisconnect()
    }
    try await withConnection(ConnectionOptions(broker, version)) { connection, recorder in
      try #expect(await connection.subscribe([Subscribe(TopicFilter("in/#"))]) == [.granted(.atLeastOnce)])
      try await eventually("not all arrived") { recorder.count == 3 }
      #expect(recorder.texts == ["zero", String(repeating: "1", count: 150), ""])
      #expect(recorder.history.messages[0].properties.contentType == (version == .v5 ? "text/plain" : nil))
      try #expect(
        await connection.publish(Publish(Topic("out"), "1"))
          == .acknowledged(version == .v5 ? .noMatchingSubscribers : .success))
      try await connection.publish(Publish(Topic("out"), "2", qos: .exactlyOnce))
      try await connection.unsubscribe([TopicFilter("in/#")])
      #expect(recorder.history.causes.isEmpty)
    }
    try await broker.finish()
  }

  @Test(
    "A broker that sends what it kept in the segment of its CONNACK is heard to the last message",
    arguments: ProtocolVersion.both)
  func glued(_ version: ProtocolVersion) async throws {
    let count = 1_000
    let broker = try ScriptedBroker { link in
      try link.expectConnect()
      let kept = (0..<count).map { number in
        let qos = UInt8(number % 2)
        return Packet.publish("kept", "\(number)", qos: qos, id: qos == 0 ? 0 : UInt16(number))
      }
      try link.send(bytes: link.bytes([.connack(sessionPresent: true)] + kept))
      for number in stride(from: 1, to: count, by: 2) { try link.expectPuback(UInt16(number)) }
      try link.expectDisconnect()
    }
    var options = ConnectionOptions(broker, version)
    options.cleanStart = false
    options.sessionExpiry = .seconds(60)
    options.receiveMaximum = count
    try await withConnection(options) { _, recorder in
      try await eventually("only \(recorder.count) arrived") { recorder.count == count }
      #expect(recorder.texts == (0..<count).map(String.init))
      #expect(recorder.history.sessions.map(\.isPresent) == [true])
    }
    try await broker.finish()
  }

  @Test(
    "A packet that breaks off gives no half message: it comes whole on the next link, once",
    arguments: [false, true], ProtocolVersion.both)
  func breaksOff(_ resets: Bool, _ version: ProtocolVersion) async throws {
    let text = String(repeating: "m", count: 5_000)
    let broker = try ScriptedBroker { link in
      try link.accept(sessionPresent: link.number > 0)
      let bytes = try link.bytes([.publish("a", text, qos: 1, isDuplicate: link.number > 0, id: 7)])
      // After the type, in the length, in the topic, in the id, in the payload.
      let ends = [1, 2, 4, 7, 9, bytes.count - 1]
      guard link.number < ends.count else {
        try link.send(bytes: bytes)
        try link.expectPuback(7)
        return try link.serve()
      }
      try link.send(bytes: Array(bytes[..<ends[link.number]]))
      if resets { try link.reset() }
    }
    var options = ConnectionOptions(broker, version)
    options.sessionExpiry = .seconds(60)
    // So that it does not take the broker for another client.
    options.backoff = .init(initial: .milliseconds(1), maximum: .milliseconds(1))
    try await withConnection(options) { _, recorder in
      try await eventually("nothing arrived") { recorder.count > 0 }
      #expect(recorder.texts == [text] && recorder.history.sessions.count == 7)
      let causes = recorder.history.causes.map(words)
      #expect(causes.allSatisfy { !$0.contains("Success") && !$0.contains("No error") }, "\(causes)")
      if !resets {
        #expect(causes[5].contains("the broker closed it in the middle of a packet"), "\(causes)")
      }
    }
    try await broker.finish(links: 7)
  }

  @Test("A large message in large pieces arrives whole", arguments: ProtocolVersion.both)
  func large(_ version: ProtocolVersion) async throws {
    let payload = [1] + [UInt8](repeating: 7, count: 1_000_000) + [2]
    try await heldLink(version) { link in
      try link.sendSplit(
        .publish("a", payload, qos: 1, id: 1), at: [3, 1_000, 100_000, 999_999], pause: .milliseconds(5))
      try link.expectPuback(1)
    } _: { _, recorder in
      try await eventually("nothing arrived") { recorder.count == 1 }
      #expect(recorder.history.messages[0].payload == payload)
    }
  }
}
