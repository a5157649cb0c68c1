/// Makes packets of bytes that come in pieces of any size.
///
/// ```swift
/// var decoder = PacketDecoder()
/// decoder.append(bytes)
/// while let packet = try decoder.next() { handle(packet) }
/// ```
///
/// It knows no socket and no order of packets; it holds as many bytes as the longest packet that is under way.
public struct PacketDecoder: Sendable {
  /// The version that packets are read in; a CONNECT sets it to its own.
  public var version: Packet.Version

  var frames = FrameBuffer()

  /// Makes a decoder without bytes.
  public init(version: Packet.Version = .v5) { self.version = version }

  /// How many bytes wait for the rest of their packet.
  public var pendingBytes: Int { frames.count }

  /// Adds the bytes that came next.
  public mutating func append(_ bytes: some Collection<UInt8>) { frames.append(bytes) }

  /// Takes the next packet, or `nil` when its last byte has not come yet.
  ///
  /// - Throws: `PacketError` with what is malformed. The packet is skipped then, unless it is its length that
  ///   can't be read: from there on nothing can.
  public mutating func next() throws(PacketError) -> Packet? {
    guard let frame = try frames.next() else { return nil }
    return try decode(frame.header, frames[frame])
  }

  mutating func decode(_ header: UInt8, _ body: ArraySlice<UInt8>) throws(PacketError) -> Packet {
    guard let kind = Packet.Kind(rawValue: header >> 4) else {
      throw PacketError(nil, "there is no packet of type 0")
    }
    var reader = PacketReader(kind, version, body)
    let packet = try reader.packet(flags: header & 0x0F)
    if case .connect(let connect) = packet { version = connect.version }
    return packet
  }
}
