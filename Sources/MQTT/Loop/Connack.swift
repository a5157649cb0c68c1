/// What the loop has to know of a CONNACK of MQTT 5 before libmosquitto reads it (3.2).
///
/// When it has read it, libmosquitto at once sends what an earlier link left unsettled. A message for which the limit in
/// it is too small ends the process, by an assertion, in versions up to 2.0.15, and so does a property that MQTT 5 does
/// not know in all of them.
enum Connack: Equatable {
  /// Another packet, or one that libmosquitto takes for broken.
  case other
  /// There is more to come.
  case incomplete
  /// It holds a property that does not exist.
  case malformed
  /// The largest packet that the broker takes, if it says so.
  case limit(Int?)

  init(_ bytes: some Collection<UInt8>) {
    self = Self.read(Reader(rest: bytes[...]))
  }

  private static func read(_ reader: consuming Reader<some Collection<UInt8>>) -> Connack {
    guard let header = reader.byte() else { return .incomplete }
    guard header & 0xF0 == 0x20 else { return .other }
    guard let length = reader.variable(inShortestForm: false) else {
      return reader.isBroken ? .other : .incomplete
    }
    guard reader.rest.count >= length else { return .incomplete }
    reader.rest = reader.rest.prefix(length)
    reader.skip(2)
    return reader.limit()
  }
}

/// Takes numbers off the front.
private struct Reader<Bytes: Collection<UInt8>> where Bytes.SubSequence == Bytes {
  var rest: Bytes
  /// Whether a number had too many bytes, or more than it needs.
  var isBroken = false

  mutating func byte() -> UInt8? { rest.popFirst() }

  mutating func skip(_ count: Int) { rest = rest.dropFirst(count) }

  mutating func uint16() -> Int? {
    guard let high = byte(), let low = byte() else { return nil }
    return Int(high) << 8 | Int(low)
  }

  /// The library refuses a longer form than is needed, but for the length of a packet.
  mutating func variable(inShortestForm: Bool = true) -> Int? {
    var number = 0
    for shift in 0..<4 {
      guard let byte = byte() else { return nil }
      number |= Int(byte & 0x7F) << (7 * shift)
      if inShortestForm, byte == 0, shift > 0 { break }
      if byte < 0x80 { return number }
    }
    isBroken = true
    return nil
  }

  /// The whole list is gone through: libmosquitto reads it before it looks at what is in it.
  mutating func limit() -> Connack {
    var limit: Int?
    guard var left = variable() else { return .other }
    while left > 0 {
      let before = rest.count
      guard let number = variable() else { return .other }
      switch number {
      case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A: skip(1)
      case 0x13, 0x21, 0x22, 0x23: skip(2)
      case 0x02, 0x11, 0x18: skip(4)
      case 0x27:
        guard let high = uint16(), let low = uint16() else { return .other }
        limit = limit ?? high << 16 | low
      case 0x0B: if variable() == nil { return .other }
      case 0x03, 0x08, 0x09, 0x12, 0x15, 0x16, 0x1A, 0x1C, 0x1F: skip(uint16() ?? 0)
      case 0x26:
        skip(uint16() ?? 0)
        skip(uint16() ?? 0)
      default: return .malformed
      }
      left -= before - rest.count
    }
    // The library counts on below zero, and takes what follows for properties.
    return left < 0 ? .malformed : .limit(limit)
  }
}
