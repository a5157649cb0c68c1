import Foundation

extension PayloadValue where Self: FixedWidthInteger {
  /// A whole number as text, with white space around it at most.
  public init(payload: [UInt8]) throws {
    guard let number = Self(try String(payload: payload).trimmingCharacters(in: .whitespacesAndNewlines))
    else {
      let isWide = Self.isSigned && Self.bitWidth == Int64.bitWidth
      throw PayloadError(
        isWide ? "not a whole number" : "not a whole number from \(Self.min) to \(Self.max)")
    }
    self = number
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
    else { throw PayloadError("not a number") }
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
