import Brokers
import MQTT
import Peers
import Testing

/// What a broker says about a message, and what the caller hears of it.
@Suite(.timeLimit(.minutes(3)))
struct ReasonTests {
  /// Of PUBACK and PUBREC (MQTT 5, 3.4.2.1).
  private static let reasons: [ReasonCode] = [
    .success, .noMatchingSubscribers, .unspecified, .implementationSpecific, .notAuthorized,
    .topicNameInvalid,
    .packetIdentifierInUse, .quotaExceeded, .payloadFormatInvalid,
  ]

  @Test(
    "The caller is told each reason of a PUBACK or a PUBREC, and the next message goes on",
    arguments: reasons,
    [QoS.atLeastOnce, .exactlyOnce])
  func told(_ code: ReasonCode, _ qos: QoS) async throws {
    let reason = Packet.Reason(rawValue: code.rawValue)
    try await heldLink(.v5, properties: [.receiveMaximum(1)]) { link in
      let publish = try link.expectPublish(to: "t", "1")
      if qos == .atLeastOnce {
        try link.send(.puback(publish.id, reason))
      } else {
        try link.send(.pubrec(publish.id, reason, properties: [.reasonString("so")]))
        if !code.isFailure {
          try link.expectPubrel(publish.id)
          try link.send(.pubcomp(publish.id))
        }
      }
      let next = try link.expectPublish(to: "t", "2", qos: 1)
      try link.send(.puback(next.id))
    } _: { connection, _ in
      let topic = try Topic("t")
      let results = Collector<PublishResult>()
      for number in 1...2 {
        let publish = Publish(topic, "\(number)", qos: number == 1 ? qos : .atLeastOnce)
        connection.publish(publish) { results.add($0) }
      }
      try await eventually("stuck at \(results.count)") { results.count == 2 }
      // What a broker says to a PUBREC that is no failure is told by its PUBCOMP.
      let first: PublishResult =
        code.isFailure ? .refused(code) : .acknowledged(qos == .atLeastOnce ? code : .success)
      #expect(results.values == [first, .acknowledged(.success)])
    }
  }

  @Test("A refused message is an error that names its topic and the reason")
  func thrown() async throws {
    try await heldLink(.v5) { link in
      try link.send(.puback(link.expectPublish().id, .notAuthorized))
    } _: { connection, _ in
      let error = await #expect(throws: ConnectionError.self) {
        try await connection.publish(Publish(Topic("t"), "x"))
      }
      try #expect(error == .publishRefused(Topic("t"), .notAuthorized))
      #expect("\(error as ConnectionError?)".contains("\"t\": Not authorized (135)"))
    }
  }

  /// The four lengths that an acknowledgement may have (MQTT 5, 3.4.2): without a reason, with one, with no properties,
  /// and with some.
  private static let tails: [[UInt8]] = [
    [], [0], [0, 0], [0, 12, 0x1F, 0, 2, 0x6F, 0x6B, 0x26, 0, 1, 0x6B, 0, 1, 0x76],
  ]

  @Test("Acknowledgements are understood in each of their lengths", arguments: tails)
  func lengths(_ tail: [UInt8]) async throws {
    @Sendable func ack(_ header: UInt8, _ id: UInt16) -> [UInt8] {
      [header, UInt8(2 + tail.count), UInt8(id >> 8), UInt8(id & 0xFF)] + tail
    }
    try await heldLink(.v5) { link in
      let one = try link.expectPublish(qos: 1)
      try link.send(bytes: ack(0x40, one.id))
      let two = try link.expectPublish(qos: 2)
      try link.send(bytes: ack(0x50, two.id))
      try link.expectPubrel(two.id)
      try link.send(bytes: ack(0x70, two.id))
      try link.send(.publish("in", "x", qos: 2, id: 9))
      try link.expectPubrec(9)
      try link.send(bytes: ack(0x62, 9))
      try link.expectPubcomp(9)
    } _: { connection, recorder in
      try await connection.publish(Publish(Topic("t"), "1", qos: .atLeastOnce))
      try await connection.publish(Publish(Topic("t"), "2", qos: .exactlyOnce))
      try await eventually("nothing arrived") { recorder.texts == ["x"] }
    }
  }

  @Test("A denied message of MQTT 3.1.1 looks like any other: the broker has no word for it")
  func plain() async throws {
    try await heldLink(.v311) { link in
      try link.send(.puback(link.expectPublish().id))
    } _: { connection, _ in
      try #expect(await connection.publish(Publish(Topic("t"), "x")) == .acknowledged(.success))
    }
  }
}
