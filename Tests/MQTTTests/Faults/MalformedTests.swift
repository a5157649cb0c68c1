import Brokers
import Foundation
import Peers
import Testing

@testable import MQTT

/// Bytes that are no MQTT, in the middle of a connection.
@Suite(.timeLimit(.minutes(4)))
struct MalformedTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var versions: [ProtocolVersion] = ProtocolVersion.both
    /// The first version of libmosquitto that does not end the process at this.
    var since: (Int32, Int32, Int32) = (2, 0, 0)

    var isSurvived: Bool { Handle.libraryVersion >= since }
    var testDescription: String { name }
  }

  private static let cases: [Case] = [
    Case(name: "a length of five bytes", bytes: [0x30, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]),
    Case(name: "a length without an end", bytes: [0x30, 0x80, 0x80, 0x80, 0x80, 0x80]),
    Case(name: "PUBLISH without a body", bytes: [0x30, 0]),
    Case(name: "PUBLISH with half a length of its topic", bytes: [0x30, 1, 0]),
    Case(name: "PUBLISH with a topic longer than itself", bytes: [0x30, 4, 0, 16, 0x61, 0x62]),
    Case(name: "PUBLISH of QoS 1 without an id", bytes: [0x32, 3, 0, 1, 0x61]),
    Case(name: "PUBLISH of QoS 1 with half an id", bytes: [0x32, 4, 0, 1, 0x61, 0]),
    Case(name: "PUBLISH of QoS 1 with id 0", bytes: [0x32, 6, 0, 1, 0x61, 0, 0, 0]),
    Case(name: "PUBLISH of QoS 3", bytes: [0x36, 6, 0, 1, 0x61, 0, 7, 0]),
    Case(name: "PUBLISH without properties", bytes: [0x30, 3, 0, 1, 0x61], versions: [.v5]),
    Case(
      name: "PUBLISH with properties longer than itself", bytes: [0x30, 5, 0, 1, 0x61, 9, 1], versions: [.v5]),
    Case(
      name: "PUBLISH with an unknown property", bytes: [0x30, 6, 0, 1, 0x61, 2, 0x7F, 0], versions: [.v5],
      since: (2, 0, 16)),
    Case(
      name: "PUBLISH with a property of CONNECT", bytes: [0x30, 9, 0, 1, 0x61, 5, 0x11, 0, 0, 0, 1],
      versions: [.v5]),
    Case(
      name: "PUBLISH with a property twice", bytes: [0x30, 8, 0, 1, 0x61, 4, 1, 0, 1, 0], versions: [.v5]),
    Case(
      name: "PUBLISH with an alias that was not agreed on", bytes: [0x30, 6, 0, 0, 3, 0x23, 0, 1],
      versions: [.v5]),
    Case(name: "PUBACK without an id", bytes: [0x40, 0]),
    Case(name: "PUBACK with half an id", bytes: [0x40, 1, 0]),
    Case(name: "PUBREC with half an id", bytes: [0x50, 1, 0]),
    Case(name: "PUBREL with half an id", bytes: [0x62, 1, 0]),
    Case(name: "PUBREL without its flags", bytes: [0x60, 2, 0, 1]),
    Case(name: "PUBCOMP with half an id", bytes: [0x70, 1, 0]),
    Case(name: "SUBACK without an id", bytes: [0x90, 0]),
    Case(name: "SUBACK without properties", bytes: [0x90, 2, 0, 1], versions: [.v5]),
    Case(name: "UNSUBACK without an id", bytes: [0xB0, 0]),
    Case(name: "UNSUBACK with half an id", bytes: [0xB0, 1, 0]),
    Case(name: "packet type 0", bytes: [0x00, 0]),
    Case(name: "packet type 15 of MQTT 3.1.1", bytes: [0xF0, 0], versions: [.v311]),
    Case(name: "AUTH without a reason", bytes: [0xF0, 0], versions: [.v5]),
    Case(name: "CONNECT", bytes: [0x10, 13, 0, 4, 0x4D, 0x51, 0x54, 0x54, 4, 2, 0, 60, 0, 1, 0x61]),
    Case(name: "SUBSCRIBE", bytes: [0x82, 6, 0, 1, 0, 1, 0x61, 0]),
    Case(name: "UNSUBSCRIBE", bytes: [0xA2, 5, 0, 1, 0, 1, 0x61]),
  ]

  private static let all: [(Case, ProtocolVersion)] = cases.filter(\.isSurvived).flatMap { one in
    one.versions.map { (one, $0) }
  }

  @Test(
    "A packet against MQTT ends the link with a cause that says so, and the connection comes back",
    arguments: all)
  func malformed(_ one: Case, _ version: ProtocolVersion) async throws {
    let link = try await firstLink(version) { link in
      try link.send(bytes: one.bytes)
      try link.silence()
    }
    guard case .linkLost(let text) = link.cause else { return #expect(Bool(false), "\(words(link.cause))") }
    #expect(text.contains("sent ") && !text.contains("\n"), "\(text)")
    #expect(link.texts.isEmpty)
  }

  private static let harmless: [Case] = [
    Case(name: "PINGREQ", bytes: [0xC0, 0]),
    Case(name: "PINGRESP that nobody asked for", bytes: [0xD0, 0]),
    Case(name: "PINGRESP with a body", bytes: [0xD0, 3, 1, 2, 3]),
    Case(name: "PUBACK with a long body", bytes: [0x40, 4, 0, 9, 0xAA, 0xBB], versions: [.v311]),
    Case(name: "AUTH that nobody began", bytes: [0xF0, 2, 0x18, 0], versions: [.v5]),
    Case(
      name: "a PUBLISH whose length has a byte too many", bytes: [0x30, 0x83, 0, 0, 1, 0x61],
      versions: [.v311]),
  ]

  @Test(
    "What is wrong and understood is passed over: a broker is not left for less than it has to be",
    arguments: harmless.flatMap { one in one.versions.map { (one, $0) } })
  func passedOver(_ one: Case, _ version: ProtocolVersion) async throws {
    try await heldLink(version) { link in
      try link.send(bytes: one.bytes)
      if one.name == "PINGREQ" {
        // libmosquitto answers it; what comes is one of the packets that only brokers send.
        let answer = try link.expectBytes(2)
        guard answer == [0xD0, 0] else { throw Surprise("\(answer)") }
      }
    }
  }

  @Test(
    "200 MB that are announced and never come take no memory, and end the link within the keep-alive",
    arguments: ProtocolVersion.both)
  func announced(_ version: ProtocolVersion) async throws {
    let before = residentBytes()
    // The broker of MQTT 5 can ask for a shorter keep-alive than a client may.
    let properties: [Packet.Property] = version == .v5 ? [.serverKeepAlive(1)] : []
    let held = Collector<Int>()
    let link = try await firstLink(version, properties: properties, options: { $0.keepAlive = .seconds(5) }) {
      link in
      try link.send(bytes: [0x30, 0x80, 0x84, 0xAF, 0x5F, 0, 1, 0x61])
      try link.expect(.pingreq)
      held.add(residentBytes() - before)
      try link.silence()
    }
    #expect(words(link.cause).contains("did not answer within the keep-alive"))
    // Other tests run beside this one.
    #expect(held.values.allSatisfy { $0 < 150_000_000 }, "\(held.values)")
  }

  @Test(
    "A PUBLISH that ends before it said so waits for the rest, until the keep-alive",
    arguments: ProtocolVersion.both)
  func cutShort(_ version: ProtocolVersion) async throws {
    let properties: [Packet.Property] = version == .v5 ? [.serverKeepAlive(1)] : []
    let link = try await firstLink(version, properties: properties, options: { $0.keepAlive = .seconds(5) }) {
      link in
      try link.send(bytes: [0x30, 20, 0, 1, 0x61])
      try link.silence()
    }
    #expect(words(link.cause).contains("did not answer within the keep-alive"))
    #expect(link.texts.isEmpty)
  }

  /// What the process has in memory now; 0 where that is not known.
  private func residentBytes() -> Int {
    #if os(Linux)
      let fields =
        (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
      return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    #else
      return 0
    #endif
  }
}
