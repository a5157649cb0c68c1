import Foundation

/// How values of a type go on the wire and come from it: their own form if they have one, else JSON.
enum PayloadCoding {
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

extension EncodingError {
  fileprivate var oneLine: String {
    switch self {
    case .invalidValue(let value, let context):
      "\(value) at \"\(JSONPointer(context.codingPath))\" has no form"
    @unknown default: "it has no form"
    }
  }
}
