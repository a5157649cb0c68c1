/// Lines that differ only in their numbers, one after the other: what a progress display leaves in a file.
struct LineSeries {
  private var shape: UInt64 = 0
  private var count = 0
  private var first = 0.0
  private var last = 0.0

  /// Adds a line that shows `percent`; whether it is at least the third of its shape in a row, with numbers
  /// that never fell and have risen.
  mutating func isRising(_ line: UnsafeRawBufferPointer, _ percent: Double) -> Bool {
    let shape = line.shape
    if shape != self.shape || percent < last {
      self.shape = shape
      count = 0
      first = percent
    }
    count += 1
    last = percent
    return count >= 3 && last > first
  }
}

extension UnsafeRawBufferPointer {
  /// A hash (FNV-1a) of the line with each number as one digit, and each run of a sign, as in a bar, as one.
  fileprivate var shape: UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    var previous: UInt8 = 0
    for byte in self {
      let isPoint = byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",")
      let masked = byte.isDigit || (isPoint && previous == UInt8(ascii: "0")) ? UInt8(ascii: "0") : byte
      // Padding goes with the number that it pads.
      if masked == previous && !masked.isLetter { continue }
      previous = masked
      if masked == UInt8(ascii: " ") { continue }
      hash = (hash ^ UInt64(masked)) &* 0x100_0000_01b3
    }
    return hash
  }
}
