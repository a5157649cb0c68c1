/// How values stand in a diagram: one letter or digit bare, everything else in single quotes.
///
/// In quotes a backslash comes before a quote and a backslash, and spells what would break the line: `\n`, `\u{1B}`.
enum QuotedText {
  static func isBare(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }

  static func write(_ value: String) -> String {
    let scalars = value.unicodeScalars
    if let only = scalars.first, scalars.count == 1, isBare(only) { return value }
    return "'\(scalars.map(escaped).joined())'"
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "'", "\\": "\\\(scalar)"
    case "\n": "\\n"
    case _ where [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory):
      "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    default: String(scalar)
    }
  }

  /// The rest of a quoted value, whose first quote has been taken.
  static func read(_ cursor: inout MarbleCursor) throws(MarbleError) -> String {
    let start = cursor.place
    var value = String.UnicodeScalarView()
    while let scalar = cursor.next() {
      switch scalar {
      case "'": return String(value)
      case "\\": value.append(try readEscape(&cursor))
      default: value.append(scalar)
      }
    }
    throw cursor.error("a quote without its end", at: start, mend: "Close the value: 'long'.")
  }

  private static func readEscape(_ cursor: inout MarbleCursor) throws(MarbleError) -> Unicode.Scalar {
    let start = cursor.place
    switch cursor.next() {
    case "'": return "'"
    case "\\": return "\\"
    case "n": return "\n"
    case "u":
      guard cursor.next() == "{", let digits = cursor.content(to: "}") else { break }
      let number = UInt32(String(String.UnicodeScalarView(digits.map(\.scalar))), radix: 16)
      if let scalar = number.flatMap(Unicode.Scalar.init) { return scalar }
    default: break
    }
    throw cursor.error(
      "a backslash that spells nothing", at: start,
      mend: #"Write \' for a quote, \\ for a backslash, \n or \u{1B}."#)
  }
}
