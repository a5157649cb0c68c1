/// What was there instead of what was wanted, for a line of text: short, and without what could do harm in a terminal.
enum Glimpse {
  private static let longest = 40

  /// The text in quotes, or its beginning.
  static func text(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(longest * 4)
    let printable = scalars.lazy.map { $0 == "\n" || $0 == "\t" ? " " : $0 }.filter {
      switch $0.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
    let line = String(String.UnicodeScalarView(printable))
    let isWhole = line.count <= longest && scalars.endIndex == text.unicodeScalars.endIndex
    return isWhole ? "\"\(line)\"" : "\"\(line.prefix(longest - 1))…\""
  }

  /// A payload in quotes, or its beginning; only named where it is no text.
  static func payload(_ payload: [UInt8]) -> String {
    let start = payload.prefix(longest * 4)
    // A character may be cut in two.
    let cuts = start.count < payload.count ? 0..<4 : 0..<1
    for cut in cuts {
      guard let text = String(validating: start.dropLast(cut), as: UTF8.self) else { continue }
      let glimpse = Self.text(start.count < payload.count ? text + "…" : text)
      return glimpse == "\"\"" && !text.isEmpty ? "the payload" : glimpse
    }
    return "the payload"
  }
}
