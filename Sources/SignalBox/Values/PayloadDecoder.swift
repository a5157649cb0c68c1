import Foundation
import MQTT

/// How a message becomes a value; `nil` where it has none to give.
typealias MessageDecoder<Value> = @Sendable (Message) throws -> Value?

extension PayloadCoding {
  /// One decoder serves all threads: it only holds options, and decodes with a state of its own each time.
  static let json = JSONDecoder()

  /// Reads a payload as a whole.
  static func decoder<Value: Decodable & Sendable>(for type: Value.Type)
    -> @Sendable ([UInt8]) throws -> Value
  {
    if let own = Value.self as? any PayloadValue.Type {
      return { payload in
        guard let value = try own.init(payload: payload) as? Value else {
          throw PayloadError("not a \(Value.self)")
        }
        return value
      }
    }
    return { payload in try fromJSON { try json.decode(Value.self, from: Data(payload)) } }
  }

  /// Reads one field of a JSON payload; `nil` where the JSON does not have it.
  static func decoder<Value: Decodable & Sendable>(for type: Value.Type, at pointer: JSONPointer)
    -> @Sendable ([UInt8]) throws -> Value?
  {
    let decoder = JSONDecoder()
    decoder.userInfo[.pointer] = pointer
    return { payload in
      try fromJSON { try decoder.decode(JSONField<Value>.self, from: Data(payload)).value }
    }
  }

  static func message<Value: Decodable & Sendable>(as type: Value.Type) -> MessageDecoder<Value> {
    let decode = decoder(for: Value.self)
    return { try decode($0.payload) }
  }

  static func message<Value: Decodable & Sendable>(
    as type: Value.Type, at pointer: String
  ) throws -> MessageDecoder<Value> {
    let decode = decoder(for: Value.self, at: try JSONPointer(pointer))
    return { try decode($0.payload) }
  }

  private static func fromJSON<Value>(_ decode: () throws -> Value) throws -> Value {
    do { return try decode() } catch let error as DecodingError { throw PayloadError(error.oneLine) }
  }

  /// What to say of a payload that `error` was thrown for, in one line: names in the JSON are the sender's.
  static func reason(_ error: any Error) -> String {
    WireFields.oneLine((error as? DecodingError)?.oneLine ?? "\(error)", max: 200)
  }
}

extension DecodingError {
  fileprivate var oneLine: String {
    switch self {
    case .keyNotFound(let key, _): "the JSON has no \"\(key.stringValue)\""
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      "the JSON has no \(type) at \"\(context.codingPath.pointer)\""
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      "the JSON has no valid value at \"\(context.codingPath.pointer)\""
    default: "not JSON"
    }
  }
}

extension [any CodingKey] {
  /// Where in a JSON document it leads.
  var pointer: String {
    "/" + map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/")
  }
}
