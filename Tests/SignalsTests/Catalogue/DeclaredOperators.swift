/// The public operators that Swift source text declares in `Signal` and its extensions: whatever makes a `Signal` or a
/// `Subscription`, or is a view for `async` code.
///
/// They are named as in `take(while:inclusive:)`, static ones as in `Signal.merge(_:)`.
struct DeclaredOperators {
  private let tokens: [String]
  private(set) var names: Set<String> = []

  init(_ source: String) {
    tokens = SwiftText(source).tokens
    var index = 0
    while index < tokens.count {
      let token = tokens[index]
      if token == "{" {
        index = end(of: index)
      } else if (token == "extension" || token == "struct") && self[index + 1] == "Signal" {
        let isPublic = token == "extension" && self[index - 1] == "public"
        index = firstIndex(of: "{", from: index)
        readMembers(index + 1, isPublic)
        index = end(of: index)
      } else {
        index += 1
      }
    }
  }

  private subscript(index: Int) -> String { tokens.indices.contains(index) ? tokens[index] : "" }

  private func firstIndex(of token: String, from start: Int) -> Int {
    tokens[min(start, tokens.count)...].firstIndex(of: token) ?? tokens.count
  }

  /// The index behind the bracket that closes the one at `start`.
  private func end(of start: Int) -> Int {
    let pairs = ["{": "}", "(": ")", "[": "]", "<": ">"]
    guard let close = pairs[self[start]] else { return start + 1 }
    var index = start + 1
    while index < tokens.count, tokens[index] != close {
      // `<` is a bracket only where one was opened: elsewhere it compares.
      let opens = tokens[index] == "<" ? close == ">" : pairs[tokens[index]] != nil
      index = opens ? end(of: index) : index + 1
    }
    return index + 1
  }

  private mutating func readMembers(_ start: Int, _ isPublicBlock: Bool) {
    var index = start
    while index < tokens.count, tokens[index] != "}" {
      switch tokens[index] {
      case "{": index = end(of: index)
      case "func":
        if isPublic(index, isPublicBlock) { readFunction(index) }
        index += 2
      case "var":
        if isPublic(index, isPublicBlock) { readVariable(index) }
        index += 2
      default: index += 1
      }
    }
  }

  // MARK: What stands before a declaration

  private func modifiers(_ declaration: Int) -> [String] {
    let known: Set = [
      "public", "package", "internal", "private", "fileprivate", "static", "nonisolated", "final",
      "consuming", "borrowing", "mutating",
    ]
    var found: [String] = []
    var index = declaration - 1
    while index >= 0 {
      if known.contains(tokens[index]) {
        found.append(tokens[index])
        index -= 1
      } else if self[index - 1] == "@" {
        index -= 2
      } else if tokens[index] == ")", let open = tokens[..<index].lastIndex(of: "("), self[open - 2] == "@" {
        index = open - 3
      } else {
        break
      }
    }
    return found
  }

  private func isPublic(_ declaration: Int, _ isPublicBlock: Bool) -> Bool {
    let modifiers = Set(modifiers(declaration))
    if modifiers.contains("public") { return true }
    return isPublicBlock && modifiers.isDisjoint(with: ["package", "internal", "private", "fileprivate"])
  }

  private func prefix(_ declaration: Int) -> String {
    modifiers(declaration).contains("static") ? "Signal." : ""
  }

  // MARK: Declarations

  private mutating func readVariable(_ index: Int) {
    guard self[index + 2] == ":", isOperatorType(index + 3) else { return }
    names.insert(prefix(index) + self[index + 1])
  }

  private mutating func readFunction(_ index: Int) {
    var open = index + 2
    if self[open] == "<" { open = end(of: open) }
    guard self[open] == "(" else { return }
    let close = end(of: open)
    var isAsync = false
    var next = close
    while ["async", "throws", "rethrows"].contains(self[next]) || self[next] == "(" {
      if self[next] == "async" { isAsync = true }
      next = end(of: next)
    }
    guard self[next] == "->", isAsync || isOperatorType(next + 1) else { return }
    let labels = labels(open + 1, close - 1).map { $0 + ":" }.joined()
    names.insert("\(prefix(index))\(self[index + 1])(\(labels))")
  }

  private func isOperatorType(_ index: Int) -> Bool {
    var index = index
    while ["some", "any"].contains(self[index]) { index += 1 }
    let type = self[index]
    return type.hasPrefix("Signal") || type.hasPrefix("Async") || ["Subscription", "Self"].contains(type)
  }

  /// The labels by which callers name the parameters between the two indices.
  private func labels(_ start: Int, _ end: Int) -> [String] {
    var labels: [String] = []
    var index = start
    var isAtStart = true
    while index < end {
      if isAtStart {
        labels.append(self[index])
        isAtStart = false
      } else if self[index] == "," {
        isAtStart = true
      }
      // The `<` of a generic type has a partner; that of an operator in a default doesn't matter behind the label.
      index =
        ["(", "[", "{"].contains(self[index]) || opensGenerics(index, end) ? self.end(of: index) : index + 1
    }
    return labels
  }

  private func opensGenerics(_ index: Int, _ end: Int) -> Bool {
    self[index] == "<" && self.end(of: index) <= end
  }
}
