import Foundation

/// The fields of a job's JSON, read with no trust in them: what is missing or of the wrong type is `nil`.
struct WireFields: Decodable {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private let fields: KeyedDecodingContainer<Key>

  init(from decoder: any Decoder) throws {
    fields = try decoder.container(keyedBy: Key.self)
  }

  init(_ payload: [UInt8]) throws {
    do {
      self = try JSONDecoder().decode(WireFields.self, from: Data(payload))
    } catch {
      throw PayloadError("not a JSON object")
    }
  }

  static func looksLikeJSON(_ payload: [UInt8]) -> Bool {
    payload.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
  }

  /// Messages of a version that is not ours are not guessed at.
  func checkVersion() throws {
    guard fields.contains(Key(stringValue: "v")) else { return }
    if number("v") != 1 { throw PayloadError("this version of the wire format is unknown: only \"v\":1 is") }
  }

  func number(_ key: String) -> Double? {
    (try? fields.decode(Double.self, forKey: Key(stringValue: key))).flatMap { $0.isFinite ? $0 : nil }
  }

  func integer(_ key: String) -> Int? { number(key).flatMap { Int(exactly: $0) } }

  func text(_ key: String, max length: Int) -> String? {
    (try? fields.decode(String.self, forKey: Key(stringValue: key))).map { Self.oneLine($0, max: length) }
  }

  /// Without control characters, and no longer than `length` characters.
  ///
  /// A character may consist of any number of scalars: four for each are kept.
  static func oneLine(_ text: String, max length: Int) -> String {
    let printable = text.unicodeScalars.lazy
      .map { $0 == "\n" || $0 == "\t" ? " " : $0 }
      .filter { $0.properties.generalCategory != .control }
      .prefix(length * 4)
    return String(String(String.UnicodeScalarView(printable)).prefix(length))
  }
}
