/// How many bytes a packet takes on the wire (MQTT 5, 2.1).
enum PacketSize {
  /// The most that can follow the first bytes of a packet: type and length.
  static let maximumRemaining = 268_435_455

  /// The largest packet: the type, four bytes of length and the rest.
  static let maximum = 5 + maximumRemaining

  /// The bytes of `value` as a variable byte integer (MQTT 5, 1.5.5).
  static func variable(_ value: Int) -> Int {
    value < 128 ? 1 : value < 16_384 ? 2 : value < 2_097_152 ? 3 : 4
  }

  /// The whole of a packet with `remaining` bytes after its length.
  static func whole(remaining: Int) -> Int {
    1 + variable(remaining) + remaining
  }
}
