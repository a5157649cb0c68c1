/// Swift source text as words and punctuation, without comments, and with string literals empty.
struct SwiftText {
  private let text: [Character]
  private var index = 0
  private(set) var tokens: [String] = []

  init(_ source: String) {
    text = Array(source)
    while index < text.count { read() }
  }

  private func starts(with prefix: String) -> Bool {
    text[index...].starts(with: prefix)
  }

  private mutating func read() {
    let character = text[index]
    if starts(with: "//") {
      while index < text.count, text[index] != "\n" { index += 1 }
    } else if starts(with: "/*") {
      index += 2
      while index < text.count, !starts(with: "*/") { index += 1 }
      index += 2
    } else if character == "\"" {
      skipString()
      tokens.append("\"\"")
    } else if starts(with: "->") {
      tokens.append("->")
      index += 2
    } else if Self.isWord(character) || character == "`" {
      let start = index
      while index < text.count, Self.isWord(text[index]) || text[index] == "`" { index += 1 }
      tokens.append(text[start..<index].filter { $0 != "`" }.map(String.init).joined())
    } else {
      if !character.isWhitespace { tokens.append(String(character)) }
      index += 1
    }
  }

  private mutating func skipString() {
    let quote = starts(with: "\"\"\"") ? "\"\"\"" : "\""
    index += quote.count
    while index < text.count, !starts(with: quote) {
      if starts(with: "\\(") { skipInterpolation() } else { index += text[index] == "\\" ? 2 : 1 }
    }
    index += quote.count
  }

  private mutating func skipInterpolation() {
    index += 2
    var depth = 1
    while index < text.count, depth > 0 {
      if text[index] == "\"" {
        skipString()
        continue
      }
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" { depth -= 1 }
      index += 1
    }
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }
}
