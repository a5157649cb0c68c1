import Brokers
import Fuzzing

/// What libmosquitto 2.0 does to a process, and nobody in front of it can prevent, so that anything else is seen.
enum KnownFaults {
  /// Whether behind the greeting there is a property that does not exist, or a second CONNACK with a limit, which may be
  /// too small for a message under way: the process ends by an assertion.
  static func crash(_ packets: [UInt8], _ version: Packet.Version) -> Bool {
    guard version == .v5 else { return false }
    return PacketStream(packets).packets.contains { header, place in
      let body = packets[place]
      return header & 0xF0 == 0x20 && body.contains(0x27) || PacketStream.holdsUnknownProperty(header, body)
    }
  }

  /// How many bytes may be left behind at most: the properties of a PUBACK, PUBCOMP or PUBREL that is for no message
  /// under way, where a property of two bytes takes a block of its own.
  static func leak(_ packets: [UInt8], _ version: Packet.Version) -> Int {
    guard version == .v5 else { return 0 }
    return PacketStream(packets).packets.reduce(0) { sum, packet in
      let body = packets[packet.body]
      guard [0x40, 0x60, 0x70].contains(packet.header & 0xF0) else { return sum }
      return body.count > 3 && body[body.startIndex + 3] != 0 ? sum + 512 + 64 * body.count : sum
    }
  }
}
