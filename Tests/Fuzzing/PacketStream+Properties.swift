import Brokers

extension PacketStream {
  /// Where the properties of a packet begin in its body, as MQTT 5 has it; nil when it has none.
  private static func properties(_ header: UInt8, _ body: ArraySlice<UInt8>) -> Int? {
    switch Packet.Kind(rawValue: header >> 4) {
    case .connack, .suback, .unsuback: body.startIndex + 2
    case .publish:
      body.count < 2
        ? nil
        : body.startIndex + 2 + (Int(body[body.startIndex]) << 8 | Int(body[body.startIndex + 1]))
          + (header & 6 != 0 ? 2 : 0)
    case .puback, .pubrec, .pubrel, .pubcomp: body.count > 3 ? body.startIndex + 3 : nil
    case .disconnect: body.count > 1 ? body.startIndex + 1 : nil
    case .auth: body.startIndex + 1
    default: nil
    }
  }

  /// Whether libmosquitto 2.0 comes upon a property that does not exist when it reads this body.
  ///
  /// It counts down the length of the properties, below zero when the last one is longer, and then goes on.
  public static func holdsUnknownProperty(_ header: UInt8, _ body: ArraySlice<UInt8>) -> Bool {
    guard let start = properties(header, body), start <= body.endIndex else { return false }
    var rest = body[start...]
    guard let length = variable(&rest) else { return false }
    var left = UInt32(length)
    while left != 0 {
      guard let number = variable(&rest) else { return false }
      guard let size = size(number, rest) else { return true }
      guard size <= rest.count else { return false }
      rest = rest.dropFirst(size)
      left = left &- 1 &- UInt32(size)
    }
    return false
  }

  /// Nil where libmosquitto gives up: at the end, at a fifth byte, and at more bytes than are needed.
  private static func variable(_ bytes: inout ArraySlice<UInt8>) -> Int? {
    var number = 0
    for shift in 0..<4 {
      guard let byte = bytes.popFirst() else { return nil }
      number |= Int(byte & 0x7F) << (7 * shift)
      if byte == 0, shift > 0 { return nil }
      if byte < 0x80 { return number }
    }
    return nil
  }

  /// The bytes of a property's value; more than there are when it is cut off, nil when there is no such property.
  private static func size(_ number: Int, _ rest: ArraySlice<UInt8>) -> Int? {
    func text(_ start: Int) -> Int {
      let place = rest.startIndex + start
      return place + 2 > rest.endIndex ? rest.count + 1 : 2 + (Int(rest[place]) << 8 | Int(rest[place + 1]))
    }
    switch number {
    case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A: return 1
    case 0x13, 0x21, 0x22, 0x23: return 2
    case 0x02, 0x11, 0x18, 0x27: return 4
    case 0x0B:
      var left = rest
      return variable(&left) == nil ? rest.count + 1 : rest.count - left.count
    case 0x03, 0x08, 0x09, 0x12, 0x15, 0x16, 0x1A, 0x1C, 0x1F: return text(0)
    case 0x26:
      let name = text(0)
      return name > rest.count ? name : name + text(name)
    default: return nil
    }
  }
}
