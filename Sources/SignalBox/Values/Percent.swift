import Foundation

/// A number of percent, as many devices write it: `42`, `42%` or `42 %`.
///
/// Ask for it by name, `as: Percent.self`: that a number means percent is never guessed. It is not kept to 0…100, since
/// devices use numbers beyond for things of their own.
public struct Percent: PayloadValue, Codable, Hashable, CustomStringConvertible {
  /// The number before the percent sign.
  public let value: Double

  /// So many percent.
  public init(_ value: Double) { self.value = value }

  /// The same as a part of one: 42 % is 0.42.
  public var fraction: Double { value / 100 }

  /// As people write it: `42 %`.
  public var description: String { "\(Int64(exactly: value).map { String($0) } ?? String(value)) %" }

  /// A decimal number as text, with a percent sign behind it or without.
  public init(payload: [UInt8]) throws {
    var text = try String(payload: payload).trimmingCharacters(in: .whitespacesAndNewlines)
    if text.last == "%" { text.removeLast() }
    guard let number = try? Double(payload: Array(text.utf8)) else {
      throw PayloadError("\(Glimpse.payload(payload)) is no Percent")
    }
    value = number
  }

  /// The number alone.
  public func payload() throws -> [UInt8] { try value.payload() }

  /// A number in JSON.
  public init(from decoder: any Decoder) throws {
    value = try decoder.singleValueContainer().decode(Double.self)
  }

  /// A number in JSON.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
