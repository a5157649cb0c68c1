/// Keeps some packets of a stream back, by their first byte; pieces of the stream may end anywhere.
struct PacketSieve: Sendable {
  private enum Place {
    case header
    case length(sum: Int, shift: Int)
    case body(left: Int)
  }

  private let passes: @Sendable (UInt8) -> Bool
  private var place = Place.header
  private var isPassing = true

  init(_ passes: @escaping @Sendable (UInt8) -> Bool) {
    self.passes = passes
  }

  /// The bytes of a piece that go on.
  mutating func sift(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    bytes.filter { take($0) }[...]
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    switch place {
    case .header:
      isPassing = passes(byte)
      place = .length(sum: 0, shift: 0)
    case .length(let sum, let shift):
      let sum = sum | Int(byte & 0x7F) << shift
      if byte >= 0x80 {
        place = .length(sum: sum, shift: shift + 7)
      } else {
        place = sum == 0 ? .header : .body(left: sum)
      }
    case .body(let left):
      place = left == 1 ? .header : .body(left: left - 1)
    }
    return isPassing
  }
}
