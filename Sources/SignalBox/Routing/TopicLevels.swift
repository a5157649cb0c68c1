/// The levels of one topic or filter, cut and hashed once, without a string for each.
///
/// Valid only inside the closure that it is handed to.
struct TopicLevels {
  enum Kind {
    case literal, plus, hash
  }

  struct Level {
    let start: Int
    let end: Int
    let hash: UInt64

    var length: Int { end - start }
  }

  let text: UnsafeBufferPointer<UInt8>
  let levels: UnsafeBufferPointer<Level>

  /// Calls `body` with the first `limit` levels of `text`. The hashes follow from the bytes and `seed`.
  static func with<Result>(
    of text: String, atMost limit: Int = .max, seed: UInt64, _ body: (TopicLevels) -> Result
  ) -> Result {
    let result = text.utf8.withContiguousStorageIfAvailable { bytes in
      let room = limit == .max ? bytes.count { $0 == Self.slash } + 1 : limit
      return withUnsafeTemporaryAllocation(of: Level.self, capacity: room) { levels in
        let count = cut(bytes, into: levels, seed)
        return body(TopicLevels(text: bytes, levels: UnsafeBufferPointer(rebasing: levels[..<count])))
      }
    }
    if let result { return result }
    var native = text
    native.makeContiguousUTF8()
    return with(of: native, atMost: limit, seed: seed, body)
  }

  var count: Int { levels.count }

  /// Brokers keep topics that begin with `$` for themselves: a wildcard in the first level doesn't match them.
  var isReserved: Bool { text.first == Self.dollar }

  /// Whether it is a filter for everything below its other levels.
  var endsWithHash: Bool { kind(count - 1) == .hash }

  subscript(index: Int) -> Level { levels[index] }

  func bytes(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: text[levels[index].start..<levels[index].end])
  }

  /// What a level means in a filter; in a topic every level is literal.
  func kind(_ index: Int) -> Kind {
    let level = levels[index]
    guard level.length == 1 else { return .literal }
    return switch text[level.start] {
    case UInt8(ascii: "+"): .plus
    case UInt8(ascii: "#"): .hash
    default: .literal
    }
  }

  static let dollar = UInt8(ascii: "$")
  private static let slash = UInt8(ascii: "/")

  /// FNV-1a; returns how many levels there are, up to the room in `levels`.
  private static func cut(
    _ text: UnsafeBufferPointer<UInt8>, into levels: UnsafeMutableBufferPointer<Level>, _ seed: UInt64
  ) -> Int {
    var count = 0
    var start = 0
    var hash = seed
    for (index, byte) in text.enumerated() {
      if byte != slash {
        hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        continue
      }
      if count == levels.count { return count }
      levels.initializeElement(at: count, to: Level(start: start, end: index, hash: hash))
      count += 1
      start = index + 1
      hash = seed
    }
    if count == levels.count { return count }
    levels.initializeElement(at: count, to: Level(start: start, end: text.count, hash: hash))
    return count + 1
  }
}
