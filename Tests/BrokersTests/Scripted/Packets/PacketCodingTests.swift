import Fuzzing
import Brokers
import Testing

@Suite(.timeLimit(.minutes(2)))
struct PacketCodingTests {
  @Test("Each packet of each version is read as it was written, in pieces of any size")
  func roundTrips() throws {
    for version in [Packet.Version.v311, .v5] {
      let samples = PacketSamples.all(version)
      #expect(Set(samples.map(\.kind)).count == (version == .v5 ? 15 : 14))
      let bytes = try samples.flatMap { try $0.encoded(for: version) }
      for size in [1, 2, 3, 7, 64, bytes.count] {
        var decoder = PacketDecoder(version: version)
        var packets: [Packet] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
          decoder.append(bytes[start..<min(start + size, bytes.count)])
          while let packet = try decoder.next() { packets.append(packet) }
        }
        #expect(packets == samples)
        #expect(decoder.pendingBytes == 0)
      }
    }
  }

  @Test("Packets of random parts are read as they were written, whatever the pieces are")
  func randomRoundTrips() throws {
    var random = Dice(seed: 42)
    for _ in 0..<100 {
      let version = Bool.random(using: &random) ? Packet.Version.v5 : .v311
      let sent = (0..<20).map { _ in PacketSamples.random(version, using: &random) }
      let bytes = try sent.flatMap { try $0.encoded(for: version) }
      var decoder = PacketDecoder(version: version)
      var received: [Packet] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let size = Int.random(in: 1...200, using: &random)
        decoder.append(rest.prefix(size))
        rest = rest.dropFirst(size)
        while let packet = try decoder.next() { received.append(packet) }
      }
      #expect(received == sent)
    }
  }

  @Test("Packets have the bytes of the specification")
  func knownBytes() throws {
    func expect(_ packet: Packet, _ version: Packet.Version, _ bytes: [UInt8]) throws {
      try #expect(packet.encoded(for: version) == bytes)
    }
    try expect(
      .connect(.init(version: .v311, clientID: "ab", keepAlive: 10)), .v311,
      [0x10, 14, 0, 4, 0x4D, 0x51, 0x54, 0x54, 4, 2, 0, 10, 0, 2, 0x61, 0x62])
    try expect(.connack(sessionPresent: true), .v311, [0x20, 2, 1, 0])
    try expect(.connack(properties: [.receiveMaximum(0)]), .v5, [0x20, 6, 0, 0, 3, 0x21, 0, 0])
    try expect(.publish("a", "x"), .v5, [0x30, 5, 0, 1, 0x61, 0, 0x78])
    try expect(
      .publish("a", "x", qos: 1, retain: true, isDuplicate: true, id: 258), .v311,
      [0x3B, 6, 0, 1, 0x61, 1, 2, 0x78])
    try expect(.puback(7), .v5, [0x40, 2, 0, 7])
    try expect(.puback(7, .notAuthorized), .v5, [0x40, 3, 0, 7, 0x87])
    try expect(.puback(7, .notAuthorized), .v311, [0x40, 2, 0, 7])
    try expect(.pubrel(7), .v5, [0x62, 2, 0, 7])
    try expect(
      .subscribe(1, [.init("a", qos: 1, noLocal: true, retainAsPublished: true, retainHandling: 2)]), .v5,
      [0x82, 7, 0, 1, 0, 0, 1, 0x61, 0x2D])
    try expect(.suback(1, [.granted(1), 0x80]), .v311, [0x90, 4, 0, 1, 1, 0x80])
    try expect(.unsuback(1, [.success]), .v311, [0xB0, 2, 0, 1])
    try expect(.disconnect(), .v5, [0xE0, 0])
    try expect(.disconnect(.serverShuttingDown), .v5, [0xE0, 1, 0x8B])
    try expect(.pingresp, .v311, [0xD0, 0])
    // 200 bytes need two bytes for their number.
    try #expect(
      Packet.publish("a", String(repeating: "x", count: 197)).encoded(for: .v311)[1...2] == [0xC8, 1])
  }

  @Test("A decoder takes the version that a CONNECT asks for")
  func versionOfConnect() throws {
    var decoder = PacketDecoder(version: .v5)
    decoder.append(try Packet.connect(.init(version: .v311)).encoded(for: .v311))
    decoder.append([0x82, 6, 0, 1, 0, 1, 0x61, 0])
    _ = try decoder.next()
    #expect(decoder.version == .v311)
    #expect(try decoder.next() == .subscribe(1, [.init("a")]))
  }

  @Test("What has no bytes is not encoded, and the error names it")
  func unencodable() throws {
    let long = String(repeating: "x", count: 65_536)
    #expect(
      text { try Packet.publish(long, "").encoded(for: .v5) }
        == "PUBLISH: the topic has 65536 bytes, and 65535 is the most that fits")
    #expect(
      text { try Packet.publish("a", "", properties: [.userProperty("n", long)]).encoded(for: .v5) }
        == "PUBLISH: the value of a user property has 65536 bytes, and 65535 is the most that fits")
    #expect(
      text {
        try Packet.publish("a", "", properties: [.subscriptionIdentifier(268_435_456)]).encoded(for: .v5)
      } == "PUBLISH: subscription identifier is 268435456, and 268435455 is the most that fits")
    #expect(text { try Packet.auth(.success).encoded(for: .v311) } == "AUTH: is not a packet of MQTT 3.1.1")
  }

  @Test("A password and the data of an authentication are in no description and in no reflection")
  func secrets() {
    let password = Array("s3cret".utf8)
    let packet = Packet.connect(
      .init(clientID: "c", user: "u", password: password, properties: [.authenticationData(password)]))
    let auth = Packet.auth(.success, properties: [.authenticationData(password)])
    for value in [packet, auth] {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped, "\([value])"] {
        #expect(!text.contains("s3cret") && !text.contains("115") && !text.contains("0x73"))
        #expect(text.contains("hidden"))
      }
    }
  }

  @Test("A packet is described in one line that tells what matters")
  func descriptions() {
    let publish = Packet.publish(
      "a\nb", "xyz", qos: 1, retain: true, isDuplicate: true, id: 7, properties: [.messageExpiry(5)])
    #expect("\(publish)" == #"PUBLISH 7 to "a\nb", QoS 1, retained, duplicate, 3 bytes, message expiry 5"#)
    #expect("\(Packet.subscribe(3, [.init("a/#", qos: 1)]))" == #"SUBSCRIBE 3 to "a/#" (QoS 1)"#)
    #expect("\(Packet.suback(3, [.granted(1), .notAuthorized]))" == "SUBACK 3 [0x01, 0x87]")
    #expect("\(Packet.puback(3, .notAuthorized))" == "PUBACK 3 0x87")
    #expect("\(Packet.disconnect())" == "DISCONNECT")
    #expect(
      "\(Packet.connect(.init(clientID: "c", user: "u", password: [1])))"
        == #"CONNECT from "c", MQTT 5, keep-alive 60 s, clean start, user "u", password hidden"#)
  }

  private func text(_ body: () throws -> [UInt8]) -> String {
    do { return "\(try body())" } catch { return "\(error)" }
  }
}
