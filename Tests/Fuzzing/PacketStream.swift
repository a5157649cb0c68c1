/// Bytes on the wire as a client cuts them into packets: by the length of each, whatever is inside.
public struct PacketStream: Sendable, Equatable {
  /// Where the bytes end.
  public enum End: Sendable, Equatable {
    /// Behind a packet.
    case whole
    /// So many bytes before the end of a packet; at least so many, if its length is not complete.
    case missing(Int)
    /// Inside of something that is no packet and begins here.
    case broken(at: Int)
  }

  /// Where the bytes end.
  public private(set) var end = End.whole
  /// The whole packets: the first byte, and the place of the body.
  public private(set) var packets: [(header: UInt8, body: Range<Int>)] = []

  /// Cuts bytes that begin with a packet.
  public init(_ bytes: [UInt8]) {
    end = cut(bytes)
  }

  private mutating func cut(_ bytes: [UInt8]) -> End {
    var place = 0
    while place < bytes.count {
      // A length of five bytes is none, and libmosquitto takes a packet of type 0 that comes in pieces for another.
      guard bytes[place] != 0 else { return .broken(at: place) }
      let length = bytes[(place + 1)...].prefix { $0 >= 0x80 }.count + 1
      guard length <= 4 else { return .broken(at: place) }
      let start = place + 1 + length
      guard start <= bytes.count else { return .missing(1) }
      let count = bytes[(place + 1)..<start].reversed().reduce(0) { $0 << 7 | Int($1 & 0x7F) }
      guard start + count <= bytes.count else { return .missing(start + count - bytes.count) }
      packets.append((bytes[place], start..<start + count))
      place = start + count
    }
    return .whole
  }

  /// Whether both end in the same way behind the same packets.
  public static func == (left: Self, right: Self) -> Bool {
    left.end == right.end
      && left.packets.elementsEqual(right.packets) { $0.header == $1.header && $0.body == $1.body }
  }
}
