/// The rules that topics, filters and other MQTT strings have in common.
enum TopicText {
  static let slash = UInt8(ascii: "/")
  static let plus = UInt8(ascii: "+")
  static let hash = UInt8(ascii: "#")
  static let dollar = UInt8(ascii: "$")

  /// The longest string that MQTT can carry, in bytes of UTF-8.
  static let maximumBytes = 65_535

  /// mosquitto's `TOPIC_HIERARCHY_LIMIT`: more slashes make it drop the connection.
  static let maximumSlashes = 200

  static func check(_ text: String, empty: TopicError) throws(TopicError) {
    if text.isEmpty { throw empty }
    if text.utf8.count > maximumBytes { throw .tooLong(bytes: text.utf8.count) }
    if let scalar = firstForbidden(in: text) { throw .forbiddenCharacter(scalar) }
    let slashes = text.utf8.count { $0 == slash }
    if slashes > maximumSlashes { throw .tooManyLevels(slashes + 1) }
  }

  /// What is wrong with a string that is neither topic nor filter, to follow its name in a sentence.
  static func fault(in text: String) -> String? {
    let bytes = text.utf8.count
    if bytes > maximumBytes { return "has \(bytes) bytes of UTF-8: 65,535 are allowed" }
    return firstForbidden(in: text).map {
      "holds U+\($0.hexadecimal): leave control characters out"
    }
  }

  /// The first scalar that libmosquitto and mosquitto treat as malformed UTF-8.
  static func firstForbidden(in text: String) -> Unicode.Scalar? {
    text.unicodeScalars.first { scalar in
      switch scalar.value {
      case 0x00...0x1F, 0x7F...0x9F, 0xFDD0...0xFDEF: true
      default: scalar.value & 0xFFFE == 0xFFFE
      }
    }
  }
}

extension Unicode.Scalar {
  var hexadecimal: String { String(value, radix: 16, uppercase: true) }
}

extension String {
  /// Whether both are the same bytes. `==` holds for canonically equivalent strings, which MQTT tells apart.
  package func hasSameBytes(as other: String) -> Bool {
    withBytes { mine in other.withBytes { mine.isSame(as: $0) } }
  }

  /// Feeds the bytes to `hasher`, so that it agrees with ``hasSameBytes(as:)``.
  package func hashBytes(into hasher: inout Hasher) {
    withBytes { hasher.combine(bytes: $0) }
    hasher.combine(UInt8(0xFF))
  }

  private func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) {
      return result
    }
    return Array(utf8).withUnsafeBytes(body)
  }
}

extension UnsafeRawBufferPointer {
  /// Eight bytes at a time: byte by byte, the comparison is half of a look-up.
  fileprivate func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    var offset = 0
    while offset + 8 <= count {
      let mine = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if mine != other.loadUnaligned(fromByteOffset: offset, as: UInt64.self) { return false }
      offset += 8
    }
    while offset < count, self[offset] == other[offset] { offset += 1 }
    return offset == count
  }
}
