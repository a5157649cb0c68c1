import Foundation

/// How values of a type go on the wire and come from it: their own form if they have one, else JSON.
enum PayloadCoding {
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
    return { payload in
      do {
        return try JSONDecoder().decode(Value.self, from: Data(payload))
      } catch let error as DecodingError {
        throw PayloadError(error.oneLine)
      }
    }
  }

  static func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
    if let own = value as? any PayloadValue { return try own.payload() }
    do {
      return Array(try JSONEncoder.readable.encode(value))
    } catch let error as EncodingError {
      throw PayloadError("\(Value.self) can't be sent as JSON: \(error.oneLine)")
    }
  }
}

extension JSONEncoder {
  /// One line, keys always in the same order, slashes as people write them.
  static var readable: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

extension DecodingError {
  fileprivate var oneLine: String {
    switch self {
    case .keyNotFound(let key, _): "the JSON has no \"\(key.stringValue)\""
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      "the JSON has no \(type) at \"\(context.path)\""
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      "the JSON has no valid value at \"\(context.path)\""
    default: "not JSON"
    }
  }
}

extension EncodingError {
  fileprivate var oneLine: String {
    switch self {
    case .invalidValue(let value, let context): "\(value) at \"\(context.codingPath.path)\" has no form"
    @unknown default: "it has no form"
    }
  }
}

extension DecodingError.Context {
  fileprivate var path: String { codingPath.path }
}

extension [any CodingKey] {
  fileprivate var path: String {
    "/" + map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/")
  }
}
