import Brokers
import Fuzzing
import Testing

@testable import MQTT

struct ConnackBytesTests {
  @Test("The limit of a CONNACK is found among all other properties")
  func limit() throws {
    let properties: [Packet.Property] = [
      .sessionExpiry(1), .assignedClientID("id"), .serverKeepAlive(5), .receiveMaximum(1),
      .retainAvailable(true),
      .userProperty("name", "value"), .maximumPacketSize(70_000), .reasonString("why"),
    ]
    let bytes = try Packet.connack(properties: properties).encoded(for: .v5)
    #expect(Connack(bytes) == .limit(70_000))
    #expect(Connack(bytes + [0x30, 0]) == .limit(70_000))
    #expect(try Connack(Packet.connack().encoded(for: .v5)) == .limit(nil))
    for count in bytes.indices { #expect(Connack(bytes.prefix(count)) == .incomplete) }
  }

  @Test("Only a whole CONNACK of properties that exist is taken for one")
  func others() {
    #expect(Connack([0x20, 6, 0, 0, 3, 0x7E, 0, 0]) == .malformed)
    #expect(Connack([0x20, 9, 0, 0, 2, 0x1F, 0, 3, 0x7E, 0x7E, 0x7E]) == .malformed)
    // Numbers of more bytes than are needed, or than there may be: the library refuses them, but for the first.
    #expect(Connack([0x20, 0x86, 0, 0, 0, 3, 0x7E, 0, 0]) == .malformed)
    #expect(Connack([0x20, 7, 0, 0, 3, 0xA4, 0, 42, 0]) == .other)
    #expect(Connack([0x20, 8, 0, 0, 5, 0x0B, 0xFF, 0xFF, 0xFF, 0xFF]) == .other)
    #expect(Connack([0x20, 2, 0, 0]) == .other)
    #expect(Connack([0x20, 0x80, 0x80, 0x80, 0x80, 1]) == .other)
    #expect(Connack([0xE0, 1, 0x8B]) == .other)
  }

  @Test(
    "A property that does not exist is seen in whatever libmosquitto would read it in",
    arguments: [1, 1_562_778_682_483_289_211, 5_090_399_259_571_240_748, UInt64.random(in: 0...UInt64.max)])
  func damaged(_ seed: UInt64) throws {
    var dice = Dice(seed: seed)
    for _ in 0..<10_000 {
      var bytes = try PacketSource(version: .v5).connack(using: &dice).encoded(for: .v5)
      let other = bytes
      dice.pick(Mutation.allCases).damage(&bytes, other, using: &dice)
      guard let first = PacketStream(bytes).packets.first, first.header & 0xF0 == 0x20 else { continue }
      guard PacketStream.holdsUnknownProperty(first.header, bytes[first.body]) else { continue }
      #expect(Connack(bytes) == .malformed, "seed \(seed): \(bytes)")
    }
  }
}
