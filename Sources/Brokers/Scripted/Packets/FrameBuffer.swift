/// Bytes that came, cut into packets by their length (MQTT 5, 2.1), without looking inside.
struct FrameBuffer: Sendable {
  /// A whole packet; its bytes are valid until the buffer changes.
  struct Frame {
    let header: UInt8
    let body: Range<Int>
  }

  /// Room for bytes; those of `unread` are not taken yet.
  private var storage: [UInt8] = []
  private var unread = 0..<0

  /// How many bytes wait.
  var count: Int { unread.count }

  /// The bytes of a frame's body.
  subscript(frame: Frame) -> ArraySlice<UInt8> { storage[frame.body] }

  mutating func append(_ bytes: some Collection<UInt8>) {
    makeRoom(bytes.count)
    storage.replaceSubrange(unread.upperBound..<unread.upperBound + bytes.count, with: bytes)
    unread = unread.lowerBound..<unread.upperBound + bytes.count
  }

  /// Has `read` put bytes into at least `room` bytes of memory; it returns how many, and so does this.
  mutating func fill(room: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
    makeRoom(room)
    let end = unread.upperBound
    let count = storage.withUnsafeMutableBytes { read(UnsafeMutableRawBufferPointer(rebasing: $0[end...])) }
    if count > 0 { unread = unread.lowerBound..<end + count }
    return count
  }

  /// Takes the next bytes, whatever they are; nil while there are fewer.
  mutating func take(_ count: Int) -> [UInt8]? {
    guard unread.count >= count else { return nil }
    let taken = unread.prefix(count)
    unread = taken.upperBound..<unread.upperBound
    return Array(storage[taken])
  }

  /// Takes the next whole packet.
  mutating func next() throws(PacketError) -> Frame? {
    let unread = unread
    let found = storage.withUnsafeBytes { bytes in
      Result { () throws(PacketError) in
        try Self.frame(
          in: UnsafeRawBufferPointer(rebasing: bytes[..<unread.upperBound]), at: unread.lowerBound)
      }
    }
    guard let frame = try found.get() else { return nil }
    self.unread = frame.body.upperBound..<unread.upperBound
    return frame
  }

  /// Takes whole packets as long as `body` wants more; no copies are made.
  mutating func scan(
    _ body: (_ header: UInt8, _ body: UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    var unread = unread
    defer { self.unread = unread }
    try storage.withUnsafeBytes { bytes in
      let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<unread.upperBound])
      while let frame = try Self.frame(in: bytes, at: unread.lowerBound) {
        unread = frame.body.upperBound..<unread.upperBound
        guard try body(frame.header, UnsafeRawBufferPointer(rebasing: bytes[frame.body])) else { return }
      }
    }
  }

  @inline(__always)
  private static func frame(in bytes: UnsafeRawBufferPointer, at start: Int) throws(PacketError) -> Frame? {
    guard start < bytes.count else { return nil }
    let header = bytes[start]
    guard header >= 0x10 else { throw PacketError(nil, "there is no packet of type 0") }
    switch VariableLength.decode(bytes, at: start + 1) {
    case .incomplete: return nil
    case .number(let count, let size):
      let first = start + 1 + size
      return bytes.count - first >= count ? Frame(header: header, body: first..<first + count) : nil
    case .tooLong: throw PacketError(Packet.Kind(rawValue: header >> 4), "its length has more than 4 bytes")
    case .notShortest:
      throw PacketError(Packet.Kind(rawValue: header >> 4), "its length has more bytes than it needs")
    }
  }

  private mutating func makeRoom(_ room: Int) {
    if unread.isEmpty { unread = 0..<0 }
    guard storage.count - unread.upperBound < room else { return }
    if unread.lowerBound > 0 {
      let count = unread.count
      storage.withUnsafeMutableBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: bytes[..<count])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[unread]))
      }
      unread = 0..<count
    }
    let missing = room - (storage.count - unread.upperBound)
    // At least twice the size: a large packet that comes in pieces is not to be copied for each of them.
    if missing > 0 { storage += [UInt8](repeating: 0, count: max(missing, storage.count)) }
  }
}
