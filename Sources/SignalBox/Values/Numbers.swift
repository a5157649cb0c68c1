import Foundation

extension PayloadValue where Self: FixedWidthInteger {
  /// A whole number as text, with white space around it at most: `42`, and also `42.0` and `4.2e1`.
  public init(payload: [UInt8]) throws {
    let text = try String(payload: payload).trimmingCharacters(in: .whitespacesAndNewlines)
    guard let number = Self(text) ?? Self.whole(text) else {
      let range = Self.bitWidth == Int64.bitWidth && Self.isSigned ? "" : " (\(Self.min) to \(Self.max))"
      throw PayloadError("\(Glimpse.payload(payload)) is no \(Self.self)\(range)")
    }
    self = number
  }

  /// Beyond 2^53 not every whole number has a floating-point form: what might have been rounded is none.
  private static func whole(_ text: String) -> Self? {
    guard let number = try? Double(payload: Array(text.utf8)), number.magnitude < 0x1p53 else { return nil }
    return Self(exactly: number)
  }

  /// The decimal digits.
  public func payload() -> [UInt8] { Array(String(self).utf8) }
}

extension PayloadValue where Self: BinaryFloatingPoint & LosslessStringConvertible {
  /// A decimal number as text, with white space around it at most; `nan`, `inf` and hexadecimal are refused.
  public init(payload: [UInt8]) throws {
    let text = try String(payload: payload).trimmingCharacters(in: .whitespacesAndNewlines)
    guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Self(text),
      number.isFinite
    else { throw PayloadError("\(Glimpse.payload(payload)) is no number") }
    self = number
  }

  /// The shortest text that reads as the same number; whole numbers without a point.
  public func payload() throws -> [UInt8] {
    guard isFinite else { throw PayloadError("\(self) can't be sent: only finite numbers can") }
    return Array((Int64(exactly: self).map { String($0) } ?? String(self)).utf8)
  }
}

extension Double: PayloadValue {}
extension Float: PayloadValue {}
extension Int: PayloadValue {}
extension Int8: PayloadValue {}
extension Int16: PayloadValue {}
extension Int32: PayloadValue {}
extension Int64: PayloadValue {}
extension UInt: PayloadValue {}
extension UInt8: PayloadValue {}
extension UInt16: PayloadValue {}
extension UInt32: PayloadValue {}
extension UInt64: PayloadValue {}
