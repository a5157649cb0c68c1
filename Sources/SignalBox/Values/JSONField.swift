import Foundation

extension CodingUserInfoKey {
  /// Which field a ``JSONField`` is.
  static let pointer = CodingUserInfoKey(rawValue: "signalbox.pointer")!
}

/// One field of a JSON document: decodes from the document, by the pointer in the decoder's user info.
///
/// What the document does not have, or has as null, is no value: devices send what has changed, and null for what they
/// don't know. Only an optional type makes a null a value.
struct JSONField<Value: Decodable & Sendable>: Decodable {
  let value: Value?

  init(from decoder: any Decoder) throws {
    guard let pointer = decoder.userInfo[.pointer] as? JSONPointer else {
      throw PayloadError("no pointer was given")
    }
    var place: (any Decoder)? = decoder
    for step in pointer.steps { place = try place.flatMap { try Self.step(step, into: $0) } }
    value = try place.flatMap { try JSONLeaf.value(Value.self, from: $0) }
  }

  /// `nil`: there is nothing of this name, or nothing that could have names.
  private static func step(_ step: String, into decoder: any Decoder) throws -> (any Decoder)? {
    if try decoder.singleValueContainer().decodeNil() { return nil }
    do {
      let fields = try decoder.container(keyedBy: StringKey.self)
      let key = StringKey(stringValue: step)
      return fields.contains(key) ? try fields.superDecoder(forKey: key) : nil
    } catch DecodingError.typeMismatch {}
    guard var list = try? decoder.unkeyedContainer(), let index = JSONPointer.index(step) else {
      throw NothingThere()
    }
    guard index < list.count ?? 0 else { return nil }
    for _ in 0..<index { _ = try list.superDecoder() }
    return try list.superDecoder()
  }
}

/// On a pointer's way is something that can't have such a name in it.
struct NothingThere: Error {}

/// The end of a pointer's way.
enum JSONLeaf {
  /// `nil` for a null, unless the type has a value of its own for that.
  static func value<Value: Decodable>(_ type: Value.Type, from decoder: any Decoder) throws -> Value? {
    if let optional = Value.self as? any NullableLeaf.Type {
      return try optional.read(from: decoder) as? Value
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() { return nil }
    do {
      return try container.decode(Value.self)
    } catch let error as DecodingError {
      // "100" for a number, "ON" or 1 for a boolean: what would do as a payload does here too.
      guard let own = Value.self as? any PayloadValue.Type else { throw error }
      if let text = try? container.decode(String.self) {
        do {
          return try own.init(payload: Array(text.utf8)) as? Value
        } catch let error as PayloadError {
          let place = JSONPointer(decoder.codingPath)
          throw place.steps.isEmpty ? error : PayloadError("\(error) at \"\(place)\"")
        }
      }
      guard let number = try? container.decode(Int.self),
        let value = try? own.init(payload: Array(String(number).utf8))
      else { throw error }
      return value as? Value
    }
  }
}

/// An optional, which has a value for null.
private protocol NullableLeaf {
  static func read(from decoder: any Decoder) throws -> Self
}

extension Optional: NullableLeaf where Wrapped: Decodable {
  fileprivate static func read(from decoder: any Decoder) throws -> Wrapped? {
    try JSONLeaf.value(Wrapped.self, from: decoder)
  }
}

/// Any name.
struct StringKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
