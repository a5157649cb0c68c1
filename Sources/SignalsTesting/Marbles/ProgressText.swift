internal import Signals

/// How progress stands in a diagram: `(25)`, `(3/7)`, `(?)`, `(25,@2,*3)`.
///
/// Numbers are rounded to two decimals, so that the same run always gives the same text.
enum ProgressText {
  static let mend = """
    Write a percentage (25), an amount (3/7) or (3/?), or (?) for the unknown, then if need be the attempt and the \
    weight: (25,@2,*3).
    """

  static func write(_ update: ProgressUpdate) -> String {
    let done = update.done.map(number)
    let total = update.total.map(number)
    var parts: [String] = []
    // A fraction that follows from the amount, as it is written, says nothing new.
    let written = ProgressUpdate(done: done.flatMap { Double($0) }, total: total.flatMap { Double($0) })
    if let fraction = update.fraction.map(percent), fraction != written.fraction.map(percent) {
      parts.append(fraction)
    }
    if done != nil || total != nil { parts.append("\(done ?? "?")/\(total ?? "?")") }
    if parts.isEmpty { parts.append("?") }
    if update.attempt != 1 { parts.append("@\(update.attempt)") }
    if let weight = update.weight { parts.append("*\(number(weight))") }
    return "(\(parts.joined(separator: ",")))"
  }

  private static func percent(_ fraction: Double) -> String { number((fraction * 10_000).rounded() / 100) }

  private static func number(_ number: Double) -> String {
    if let whole = Int64(exactly: number) { return String(whole) }
    let hundredths = (number * 100).rounded()
    // Rounding must not make a nought of something, and there is nothing to round in what is very large.
    guard hundredths >= 1, hundredths < 1e15 else { return String(number) }
    let (whole, rest) = Int64(hundredths).quotientAndRemainder(dividingBy: 100)
    if rest == 0 { return String(whole) }
    return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest / 10)\(rest % 10)"
  }

  /// The rest of a progress, whose `(` has been taken.
  static func read(_ cursor: inout MarbleCursor) throws(MarbleError) -> ProgressUpdate {
    let start = cursor.place
    guard let content = cursor.content(to: ")") else {
      throw cursor.error(#"a "(" without its ")""#, at: start, mend: "Close the progress: (25).")
    }
    var update = ProgressUpdate()
    var kinds: [Kind] = []
    for part in content.split(omittingEmptySubsequences: false, whereSeparator: { $0.scalar == "," }) {
      let text = String(String.UnicodeScalarView(part.map(\.scalar)))
      let place = part.first?.place ?? start
      guard let kind = read(text, into: &update) else {
        throw cursor.error("\"\(text)\" is no progress", at: place, mend: mend)
      }
      guard kinds.allSatisfy({ $0.mayPrecede(kind) }) else {
        throw cursor.error("\"\(text)\" is out of place", at: place, mend: mend)
      }
      kinds.append(kind)
    }
    guard let first = kinds.first, first != .attempt, first != .weight else {
      throw cursor.error("the progress itself is missing", at: start, mend: mend)
    }
    return update
  }

  /// In the order in which they are written.
  private enum Kind: Int {
    case unknown, percent, amount, attempt, weight

    func mayPrecede(_ other: Kind) -> Bool {
      rawValue < other.rawValue && (self != .unknown || other == .attempt || other == .weight)
    }
  }

  private static func read(_ text: String, into update: inout ProgressUpdate) -> Kind? {
    if text == "?" { return .unknown }
    if text.hasPrefix("@") {
      guard let attempt = Int(text.dropFirst()), attempt > 0 else { return nil }
      update.attempt = attempt
      return .attempt
    }
    if text.hasPrefix("*") {
      guard let weight = number(text.dropFirst()), weight > 0 else { return nil }
      update.weight = weight
      return .weight
    }
    let sides = text.split(separator: "/", omittingEmptySubsequences: false)
    if sides.count == 2 {
      update.done = number(sides[0])
      update.total = number(sides[1])
      // A total of 0 has become unknown, and is refused.
      let isWhole = (update.done != nil || sides[0] == "?") && (update.total != nil || sides[1] == "?")
      return isWhole && sides != ["?", "?"] ? .amount : nil
    }
    guard let percent = number(text[...]), percent <= 100 else { return nil }
    update.fraction = percent / 100
    return .percent
  }

  private static func number(_ text: Substring) -> Double? {
    guard text.first?.isNumber == true, text.allSatisfy({ "0123456789.e+-".contains($0) }) else { return nil }
    return Double(text).flatMap { $0.isFinite ? $0 : nil }
  }
}
