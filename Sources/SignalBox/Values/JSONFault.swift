import Foundation

/// Why a payload is not the JSON that was asked for, in one line: what is there, and what was wanted.
struct JSONFault {
  let payload: [UInt8]
  /// Where in the document the value was looked for.
  var pointer = JSONPointer(steps: [])
  /// The type of the value, where it is known.
  var wanted: Any.Type?

  /// One line for what a decoder has thrown; `decode` decodes another document in the same way.
  func text(_ error: DecodingError, _ decode: (Data) throws -> Void = { _ in }) -> String {
    // Names in the JSON are the sender's.
    WireFields.oneLine(sentence(error, decode), max: 200)
  }

  /// The pointer leads nowhere.
  var nothingThere: String { WireFields.oneLine(nothing(at: pointer), max: 200) }

  private func sentence(_ error: DecodingError, _ decode: (Data) throws -> Void) -> String {
    switch error {
    case .keyNotFound(let key, let context):
      return nothing(at: JSONPointer(steps: JSONPointer(context.codingPath).steps + [key.stringValue]))
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      return misfit(JSONPointer(context.codingPath), type)
    case .dataCorrupted(let context): return corrupted(JSONPointer(context.codingPath), decode)
    @unknown default: return "\(Glimpse.payload(payload)) is not JSON"
    }
  }

  private func nothing(at place: JSONPointer) -> String {
    let glimpse = payload.count <= 40 ? ": \(Glimpse.payload(payload).dropFirst().dropLast())" : ""
    return "the JSON has nothing at \"\(place)\"\(place == pointer ? "" : purpose)\(glimpse)"
  }

  /// The decoder says no more of numbers that don't fit their type than of what is no JSON at all.
  private func corrupted(_ place: JSONPointer, _ decode: (Data) throws -> Void) -> String {
    guard (try? PayloadCoding.json.decode(JSONGlimpse.self, from: Data(payload))) != nil else {
      let glimpse = Glimpse.payload(payload)
      guard let wanted else { return "\(glimpse) is not JSON" }
      return "\(glimpse) is no \(name(wanted))\(wanted is any RawRepresentable.Type ? "" : ": not JSON")"
    }
    if !place.steps.isEmpty { return misfit(place, nil) }
    if !["a list", "an object"].contains(glimpse(at: pointer)) { return misfit(pointer, nil) }
    if let (place, type) = JSONMisfitNumber.find(in: payload, decode) { return misfit(place, type) }
    return "the JSON has a value that does not fit\(purpose)"
  }

  private func misfit(_ place: JSONPointer, _ type: Any.Type?) -> String {
    let isAsked = place == pointer
    let name = (isAsked ? wanted ?? type : type).map { self.name($0) } ?? "valid value"
    let position = place.steps.isEmpty ? "" : " at \"\(place)\""
    return "\(glimpse(at: place)) is no \(name)\(position)\(isAsked ? "" : purpose)"
  }

  private func glimpse(at place: JSONPointer) -> String {
    let decoder = JSONDecoder()
    decoder.userInfo[.pointer] = place
    let field = try? decoder.decode(JSONField<JSONGlimpse>.self, from: Data(payload))
    return field.map { $0.value?.text ?? "null" } ?? "what is there"
  }

  private var purpose: String { wanted.map { " (wanted: \(name($0)))" } ?? "" }

  /// As people say it: what the type is called is of interest only where it is the user's.
  private func name(_ type: Any.Type) -> String {
    var name = "\(type)"
    if name.hasPrefix("Optional<") { name = String(name.dropFirst("Optional<".count).dropLast()) }
    if name.hasPrefix("Array<") { return "list" }
    if name.hasPrefix("Dictionary<") { return "object" }
    return ["Double": "number", "Float": "number", "String": "text"][name] ?? name
  }
}
