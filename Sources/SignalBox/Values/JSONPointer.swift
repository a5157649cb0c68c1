/// The way to one field of a JSON document (RFC 6901): `/temperature`, `/params/events/0/event`.
///
/// The empty pointer is the whole document. `~1` stands for a slash in a name, and `~0` for a tilde.
struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
  /// The names and indexes, without their escapes.
  let steps: [String]

  init(steps: [String]) { self.steps = steps }

  /// The way that a decoder went.
  init(_ path: [any CodingKey]) {
    steps = path.map { $0.intValue.map(String.init) ?? $0.stringValue }
  }

  /// Checks `text`.
  init(_ text: String) throws(ReadingError) {
    guard text.isEmpty || text.utf8.first == UInt8(ascii: "/") else {
      throw .badPointer(text, "it begins with a slash: \"/\(text)\"")
    }
    var steps: [String] = []
    for step in text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
      guard let step = Self.unescaped(step) else {
        throw .badPointer(text, "write ~0 for a tilde, and ~1 for a slash in a name")
      }
      steps.append(step)
    }
    self.steps = steps
  }

  /// `nil`: a tilde stands for nothing.
  private static func unescaped(_ step: Substring.UTF8View) -> String? {
    var bytes: [UInt8] = []
    var rest = step[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "~") else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
      case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
      default: return nil
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// With escapes.
  var description: String {
    steps.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
  }

  /// Which element of a list a step names: decimal digits, without zeros in front.
  static func index(_ step: String) -> Int? {
    guard step.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      step == "0" || step.utf8.first != UInt8(ascii: "0")
    else { return nil }
    return Int(step)
  }
}
