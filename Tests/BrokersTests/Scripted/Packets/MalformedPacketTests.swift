import Fuzzing
import Brokers
import Testing

@Suite(.timeLimit(.minutes(2)))
struct MalformedPacketTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var bytes: [UInt8]
    var problem: String
    var version = Packet.Version.v5

    var testDescription: String { problem }
  }

  @Test(
    "What is malformed is named exactly",
    arguments: [
      Case(bytes: [0x00, 0], problem: "packet: there is no packet of type 0"),
      Case(bytes: [0xC1, 0], problem: "PINGREQ: its flags are 1, not 0"),
      Case(bytes: [0x80, 6, 0, 1, 0, 0, 1, 0x61], problem: "SUBSCRIBE: its flags are 0, not 2"),
      Case(bytes: [0xC0, 0x80, 0x80, 0x80, 0x80], problem: "PINGREQ: its length has more than 4 bytes"),
      Case(bytes: [0xC0, 0x80, 0], problem: "PINGREQ: its length has more bytes than it needs"),
      Case(bytes: [0xC0, 1, 0], problem: "PINGREQ: 1 byte after its end"),
      Case(bytes: [0x30, 0], problem: "PUBLISH: the length of the topic is missing"),
      Case(bytes: [0x30, 1, 0], problem: "PUBLISH: the length of the topic ends after 1 of its 2 bytes"),
      Case(bytes: [0x30, 4, 0, 5, 0x61, 0x62], problem: "PUBLISH: the topic ends after 2 of its 5 bytes"),
      Case(bytes: [0x30, 4, 0, 1, 0xFF, 0], problem: "PUBLISH: the topic is not UTF-8"),
      Case(bytes: [0x30, 4, 0, 1, 0, 0], problem: "PUBLISH: the topic holds U+0000"),
      Case(bytes: [0x30, 4, 0, 1, 0x23, 0], problem: "PUBLISH: the topic \"#\" holds a wildcard"),
      Case(bytes: [0x30, 3, 0, 0, 0], problem: "PUBLISH: the topic is empty"),
      Case(bytes: [0x36, 6, 0, 1, 0x61, 0, 1, 0], problem: "PUBLISH: its QoS is 3"),
      Case(bytes: [0x38, 4, 0, 1, 0x61, 0], problem: "PUBLISH: it is a duplicate of QoS 0"),
      Case(bytes: [0x32, 6, 0, 1, 0x61, 0, 0, 0], problem: "PUBLISH: the packet id is 0"),
      Case(
        bytes: [0x30, 3, 0, 1, 0x61],
        problem: "PUBLISH: the length of the properties ends after 0 bytes and needs more"),
      Case(
        bytes: [0x30, 4, 0, 1, 0x61, 9],
        problem: "PUBLISH: the list of properties ends after 0 of its 9 bytes"),
      Case(bytes: [0x30, 6, 0, 1, 0x61, 2, 0x7F, 0], problem: "PUBLISH: there is no property 127"),
      Case(
        bytes: [0x30, 7, 0, 1, 0x61, 3, 0x21, 0, 1],
        problem: "PUBLISH: receive maximum is no property of PUBLISH"),
      Case(
        bytes: [0x30, 6, 0, 1, 0x61, 2, 1, 2], problem: "PUBLISH: payload format indicator is 2, not 0 or 1"),
      Case(
        bytes: [0x30, 8, 0, 1, 0x61, 4, 1, 0, 1, 0],
        problem: "PUBLISH: payload format indicator stands there twice"),
      Case(bytes: [0x30, 7, 0, 1, 0x61, 3, 0x23, 0, 0], problem: "PUBLISH: topic alias is 0"),
      Case(
        bytes: [0x30, 6, 0, 1, 0x61, 2, 2, 0], problem: "PUBLISH: message expiry ends after 1 of its 4 bytes"),
      Case(bytes: [0x82, 2, 0, 1], problem: "SUBSCRIBE: it has no filter", version: .v311),
      Case(bytes: [0x82, 4, 0, 1, 0, 0], problem: "SUBSCRIBE: filter 1 is empty", version: .v311),
      Case(
        bytes: [0x82, 5, 0, 1, 0, 1, 0x61], problem: "SUBSCRIBE: the options byte of filter 1 is missing",
        version: .v311),
      Case(
        bytes: [0x82, 6, 0, 1, 0, 1, 0x61, 3], problem: "SUBSCRIBE: the QoS of filter 1 is 3", version: .v311),
      Case(
        bytes: [0x82, 6, 0, 1, 0, 1, 0x61, 4], problem: "SUBSCRIBE: the reserved options of filter 1 are set",
        version: .v311),
      Case(
        bytes: [0x82, 7, 0, 1, 0, 0, 1, 0x61, 0x30],
        problem: "SUBSCRIBE: the retain handling of filter 1 is 3"),
      Case(bytes: [0xA2, 2, 0, 1], problem: "UNSUBSCRIBE: it has no filter", version: .v311),
      Case(bytes: [0x90, 2, 0, 1], problem: "SUBACK: it has no reason", version: .v311),
      Case(
        bytes: [0x20, 2, 2, 0], problem: "CONNACK: the session-present flag is 2, not 0 or 1", version: .v311),
      Case(bytes: [0x40, 1, 7], problem: "PUBACK: the packet id ends after 1 of its 2 bytes"),
      Case(bytes: [0x40, 3, 0, 7, 0], problem: "PUBACK: 1 byte after its end", version: .v311),
      Case(bytes: [0xF0, 0], problem: "AUTH: is not a packet of MQTT 3.1.1", version: .v311),
      Case(
        bytes: [0x10, 12, 0, 6, 0x4D, 0x51, 0x49, 0x73, 0x64, 0x70, 3, 2, 0, 60],
        problem: "CONNECT: the protocol is \"MQIsdp\", level 3: only MQTT 3.1.1 and 5 are spoken here"),
      Case(bytes: connect(flags: 1), problem: "CONNECT: the reserved flag of the connection is set"),
      Case(bytes: connect(flags: 0x20), problem: "CONNECT: there are flags of a will, but no will"),
      Case(bytes: connect(flags: 0x1C), problem: "CONNECT: the QoS of the will is 3"),
      Case(bytes: connect(flags: 0x42), problem: "CONNECT: there is a password, but no user name"),
      Case(bytes: connect(flags: 0), problem: "CONNECT: the client id is empty without a clean session"),
      Case(bytes: connect(flags: 0x82), problem: "CONNECT: the length of the user name is missing"),
    ])
  func malformed(_ example: Case) {
    var decoder = PacketDecoder(version: example.version)
    decoder.append(example.bytes)
    let error = #expect(throws: PacketError.self) { try decoder.next() }
    #expect(error?.description == example.problem)
  }

  @Test("A packet with a malformed body is skipped, and the next one is read")
  func skipped() throws {
    var decoder = PacketDecoder()
    decoder.append([0x30, 3, 0, 0, 0, 0xC0, 0])
    #expect(throws: PacketError.self) { try decoder.next() }
    #expect(try decoder.next() == .pingreq)
  }

  @Test("Any bytes at all are packets, an error or wait for more, and never more than that")
  func noise() {
    var random = Dice(seed: 7)
    for _ in 0..<20_000 {
      var decoder = PacketDecoder(version: Bool.random(using: &random) ? .v5 : .v311)
      let kind = UInt8.random(in: 1...15, using: &random)
      let count = Int.random(in: 0...40, using: &random)
      let flags: UInt8 = [6, 8, 10].contains(kind) ? 2 : 0
      // Small numbers are lengths, flags and properties more often than large ones.
      let body = (0..<count).map { _ in
        UInt8.random(in: 0...(Bool.random(using: &random) ? 5 : 255), using: &random)
      }
      decoder.append([kind << 4 | flags, UInt8(count)] + body)
      _ = try? decoder.next()
      #expect(decoder.pendingBytes == 0)
    }
  }

  /// A CONNECT of MQTT 3.1.1 with an empty client id and nothing behind it.
  private static func connect(flags: UInt8) -> [UInt8] {
    [0x10, 12, 0, 4, 0x4D, 0x51, 0x54, 0x54, 4, flags, 0, 60, 0, 0]
  }
}
