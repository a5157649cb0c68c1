import Foundation

/// A value with a form of its own on the wire. What is `Codable` and not this travels as JSON.
///
/// Text, numbers, booleans and raw bytes are; conform your own type to give it another form than JSON. An enumeration of
/// words (`enum Mode: String, Codable, PayloadValue`) has nothing to add, and is sent as the bare word.
public protocol PayloadValue: Sendable {
  /// Reads a payload; throws a ``PayloadError`` that says what is wrong with it.
  init(payload: [UInt8]) throws

  /// The payload to send; throws a ``PayloadError`` when the value has no form.
  func payload() throws -> [UInt8]
}

/// A payload that is not what it was said to be, or a value that can't be sent.
public struct PayloadError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One line.
  public let description: String

  /// Makes an error with one line of text.
  public init(_ description: String) { self.description = description }

  /// For who called and has several such calls: begins the line with what it is about.
  static func naming<Result>(_ subject: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as PayloadError { throw PayloadError("\(subject): \(error)") }
  }
}

extension String: PayloadValue {
  /// UTF-8 text, as it is.
  ///
  /// Homie says an empty text by one zero byte, since an empty payload clears a retained message: that is `"\0"`.
  public init(payload: [UInt8]) throws {
    guard let text = String(validating: payload, as: UTF8.self) else {
      throw PayloadError("the payload is no UTF-8 text")
    }
    self = text
  }

  /// The UTF-8 of the text.
  public func payload() -> [UInt8] { Array(utf8) }
}

extension Bool: PayloadValue {
  /// `true`, `on` or `1`; `false`, `off` or `0`; in any case of letters.
  public init(payload: [UInt8]) throws {
    switch try String(payload: payload).trimmingCharacters(in: .whitespacesAndNewlines).lowercased() {
    case "true", "on", "1": self = true
    case "false", "off", "0": self = false
    default:
      throw PayloadError("\(Glimpse.payload(payload)) is no Bool: true or false, on or off, 1 or 0")
    }
  }

  /// `true` or `false`.
  public func payload() -> [UInt8] { Array(String(self).utf8) }
}

extension [UInt8]: PayloadValue {
  /// The bytes as they are.
  public init(payload: [UInt8]) { self = payload }

  /// The bytes as they are.
  public func payload() -> [UInt8] { self }
}
