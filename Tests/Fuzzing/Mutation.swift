/// One way to damage the bytes of a packet.
public enum Mutation: CaseIterable, Sendable {
  case flipBit, setByte, setPair, setLength, truncate, insert, remove, double, splice

  /// Numbers at which code that counts goes wrong.
  private static let bytes: [UInt8] = [
    0, 1, 2, 3, 4, 5, 0x0B, 0x1F, 0x26, 0x2B, 0x3F, 0x7F, 0x80, 0x81, 0xFE, 0xFF,
  ]
  private static let pairs: [UInt16] = [0, 1, 2, 3, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF]

  /// Damages one packet behind its first bytes in a way that leaves its type and length as they are, mostly.
  public static func scratch(_ packet: inout [UInt8], using dice: inout Dice) {
    guard packet.count > 6 else { return }
    let place = 4 + dice.roll(packet.count - 4)
    packet[place] = dice.chance(50) ? packet[place] ^ 1 << UInt8(dice.roll(8)) : dice.pick(bytes)
  }

  /// Damages one packet; `other` is one to take bytes from.
  public func damage(_ packet: inout [UInt8], _ other: [UInt8], using dice: inout Dice) {
    guard !packet.isEmpty else { return packet = dice.bytes(3) }
    let place = dice.roll(packet.count)
    let count = min(packet.count - place, 1 + dice.roll(dice.chance(80) ? 4 : 40))
    switch self {
    case .flipBit: packet[place] ^= 1 << UInt8(dice.roll(8))
    case .setByte: packet[place] = dice.chance(70) ? dice.pick(Self.bytes) : UInt8(dice.roll(256))
    case .setPair:
      let pair = dice.pick(Self.pairs)
      packet[place] = UInt8(pair >> 8)
      if place + 1 < packet.count { packet[place + 1] = UInt8(pair & 0xFF) }
    case .setLength: return PacketLength.set(&packet, to: lie(packet, using: &dice))
    case .truncate: packet.removeLast(packet.count - place)
    case .insert: packet.insert(contentsOf: dice.bytes(count), at: place)
    case .remove: packet.removeSubrange(place..<place + count)
    case .double: packet.insert(contentsOf: packet[place..<place + count], at: place)
    case .splice: packet.replaceSubrange(place..., with: other.suffix(dice.roll(other.count + 1)))
    }
    // With an honest length the damage is inside this packet, else it moves all that follow.
    if dice.chance(75) { PacketLength.set(&packet, to: PacketLength.body(packet)) }
  }

  private func lie(_ packet: [UInt8], using dice: inout Dice) -> Int {
    let honest = PacketLength.body(packet)
    switch dice.roll(100) {
    case ..<60: return max(0, honest + dice.pick([-3, -2, -1, 1, 2, 3]))
    case ..<80: return dice.roll(honest + 1)
    case ..<98: return dice.pick([0, 1, 2, 127, 128, 255, 16_383, 16_384])
    // All of it is taken from the heap at once.
    default: return dice.pick([2_097_151, 2_097_152, 268_435_455])
    }
  }
}

/// The length behind the first byte of a packet.
enum PacketLength {
  /// How many bytes follow the length, whatever it says.
  static func body(_ packet: [UInt8]) -> Int { max(0, packet.count - 1 - size(packet)) }

  static func set(_ packet: inout [UInt8], to length: Int) {
    guard let first = packet.first else { return }
    var bytes: [UInt8] = []
    var rest = length
    repeat {
      bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    packet.replaceSubrange(0..<min(packet.count, 1 + size(packet)), with: [first] + bytes)
  }

  private static func size(_ packet: [UInt8]) -> Int {
    min(4, packet.dropFirst().prefix { $0 >= 0x80 }.count + 1)
  }
}
