import Foundation

/// One JSON object on one line, its keys always in the same order.
struct JSONLine {
  private var fields: [String: Any] = [:]

  init(_ fields: [String: Any]) { self.fields = fields }

  static func isJSON(_ payload: [UInt8]) -> Bool {
    (try? JSONSerialization.jsonObject(with: Data(payload), options: .fragmentsAllowed)) != nil
  }

  /// The payload: JSON as JSON, other text as a string, everything else in base64 under a name of its own.
  mutating func add(payload: [UInt8], as name: String) {
    let data = Data(payload)
    if let json = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) {
      fields[name] = json
    } else if let text = String(validating: payload, as: UTF8.self) {
      fields[name] = text
    } else {
      fields["\(name)Base64"] = data.base64EncodedString()
    }
  }

  /// Adds the members of a JSON object that are not there yet.
  mutating func merge(_ object: [UInt8]) {
    let members = (try? JSONSerialization.jsonObject(with: Data(object))) as? [String: Any]
    fields.merge(members ?? [:]) { own, _ in own }
  }

  /// The object and a line feed.
  var text: String {
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
    let data = try? JSONSerialization.data(withJSONObject: fields, options: options)
    return String(decoding: data ?? Data("{}".utf8), as: UTF8.self) + "\n"
  }
}
