/// A topic as a key: equal when the bytes are. Strings are equal when they are canonically equivalent, topics not.
struct SeenTopic: Hashable {
  private let name: String

  init(_ name: String) { self.name = name }

  static func == (left: Self, right: Self) -> Bool {
    left.withBytes { left in right.withBytes { right in areSame(left, right) } }
  }

  func hash(into hasher: inout Hasher) {
    withBytes { hasher.combine(bytes: $0) }
  }

  private func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    if let result = name.utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) {
      return result
    }
    return Array(name.utf8).withUnsafeBytes(body)
  }

  /// Eight bytes at a time: byte by byte, the comparison is half of a look-up.
  private static func areSame(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    var offset = 0
    while offset + 8 <= left.count {
      let mine = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if mine != right.loadUnaligned(fromByteOffset: offset, as: UInt64.self) { return false }
      offset += 8
    }
    while offset < left.count, left[offset] == right[offset] { offset += 1 }
    return offset == left.count
  }
}
