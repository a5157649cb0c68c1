/// A number in one to four bytes of seven bits each, the lowest first (MQTT 5, 1.5.5).
enum VariableLength {
  static let maximum = 268_435_455

  static func encoded(_ number: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = number
    repeat {
      let byte = UInt8(rest & 0x7F)
      rest >>= 7
      bytes.append(rest > 0 ? byte | 0x80 : byte)
    } while rest > 0
    return bytes
  }

  enum Decoded: Equatable {
    case number(Int, size: Int)
    /// The bytes end before the number does.
    case incomplete
    /// The fourth byte says that there is a fifth.
    case tooLong
    /// A shorter form of the same number exists, and the specification wants it.
    case notShortest
  }

  /// Reads the number that begins at `start`.
  @inline(__always)
  static func decode(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Decoded {
    var number = 0
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      number |= Int(byte & 0x7F) << (7 * (index - start))
      index += 1
      if byte < 0x80 {
        return byte == 0 && index - start > 1 ? .notShortest : .number(number, size: index - start)
      }
      if index - start == 4 { return .tooLong }
    }
    return .incomplete
  }
}
