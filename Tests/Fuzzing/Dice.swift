/// Random numbers that a failed test can have again.
public struct Dice: RandomNumberGenerator, Sendable {
  /// What the numbers follow from.
  public let seed: UInt64
  private var state: UInt64

  /// The numbers of a seed.
  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// SplitMix64.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// One of `0..<count`.
  public mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

  /// True so many times of a hundred.
  public mutating func chance(_ percent: Int) -> Bool { roll(100) < percent }

  /// One of `values`.
  public mutating func pick<Value>(_ values: [Value]) -> Value { values[roll(values.count)] }

  /// Any bytes but 255, half of them small ones: lengths, flags and properties are small.
  public mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var index = 0
    while index < count {
      let number = next()
      bytes[index] = UInt8(truncatingIfNeeded: number >> 8) % (number & 1 == 0 ? 6 : 255)
      index += 1
    }
    return bytes
  }
}
