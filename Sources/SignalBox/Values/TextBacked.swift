import Foundation

/// Types that are texts by name, such as enumerations of words: devices send the bare word.
enum TextBacked {
  /// The value that a payload names, if the type is such a one.
  static func value<Value>(_ type: Value.Type, named payload: [UInt8]) -> Value? {
    guard let type = type as? any RawRepresentable.Type else { return nil }
    let word = try? String(payload: payload).trimmingCharacters(in: .whitespacesAndNewlines)
    return word.flatMap { make(type, $0) } as? Value
  }

  private static func make<Raw: RawRepresentable>(_ type: Raw.Type, _ word: String) -> Any? {
    (word as? Raw.RawValue).flatMap { Raw(rawValue: $0) }
  }
}

extension PayloadValue where Self: RawRepresentable, RawValue == String {
  /// The bare word.
  public init(payload: [UInt8]) throws {
    let text = try String(payload: payload).trimmingCharacters(in: .whitespacesAndNewlines)
    guard let value = Self(rawValue: text) else {
      throw PayloadError("\(Glimpse.payload(payload)) is no \(Self.self)")
    }
    self = value
  }

  /// The bare word.
  public func payload() -> [UInt8] { Array(rawValue.utf8) }
}
