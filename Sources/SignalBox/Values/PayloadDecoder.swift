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
          throw PayloadError("\(Glimpse.payload(payload)) is no \(Value.self)")
        }
        return value
      }
    }
    return { payload in
      do {
        return try fromJSON(payload, Value.self) { try json.decode(Value.self, from: $0) }
      } catch {
        guard let value = TextBacked.value(Value.self, named: payload) else { throw error }
        return value
      }
    }
  }

  /// Reads one field of a JSON payload; `nil` where the JSON does not have it.
  static func decoder<Value: Decodable & Sendable>(for type: Value.Type, at pointer: JSONPointer)
    -> @Sendable ([UInt8]) throws -> Value?
  {
    let decoder = JSONDecoder()
    decoder.userInfo[.pointer] = pointer
    return { payload in
      try fromJSON(payload, Value.self, at: pointer) {
        try decoder.decode(JSONField<Value>.self, from: $0).value
      }
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

  private static func fromJSON<Value>(
    _ payload: [UInt8], _ type: Any.Type, at pointer: JSONPointer = JSONPointer(steps: []),
    _ decode: (Data) throws -> Value
  ) throws -> Value {
    let fault = JSONFault(payload: payload, pointer: pointer, wanted: type)
    do {
      return try decode(Data(payload))
    } catch let error as DecodingError {
      throw PayloadError(fault.text(error) { _ = try decode($0) })
    } catch is NothingThere {
      throw PayloadError(fault.nothingThere)
    }
  }

  /// What to say of a payload that `error` was thrown for, in one line.
  static func reason(_ error: any Error, _ payload: [UInt8]) -> String {
    if let error = error as? DecodingError { return JSONFault(payload: payload).text(error) }
    return WireFields.oneLine("\(error)", max: 200)
  }
}
