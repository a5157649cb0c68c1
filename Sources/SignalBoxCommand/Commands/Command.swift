/// A subcommand of `signalbox`.
protocol Command {
  /// What is typed to call it.
  static var name: String { get }
  /// What it does, in a few words without a full stop.
  static var summary: String { get }
  /// The operands, as a usage line shows them; empty when there are none.
  static var operands: String { get }
  /// Lines to type, and what each is good for.
  static var examples: [(line: String, purpose: String)] { get }
  /// Its options, save `--help`.
  static var flags: [Flag] { get }
  /// The first operand ends the options.
  static var endsAtOperand: Bool { get }

  /// Does the work; the exit code.
  ///
  /// - Throws: `UsageError`, which exits with 2; any other error exits with 1.
  static func run(_ arguments: Arguments) async throws -> Int32
}

extension Command {
  static var operands: String { "" }
  static var endsAtOperand: Bool { false }

  /// The text of `--help`: examples first.
  static var help: String {
    let usage = ["signalbox", name, "[OPTIONS]", operands].filter { !$0.isEmpty }.joined(separator: " ")
    let examples = table(examples.map { ($0.line, $0.purpose) })
    let options = table(
      (flags + [.help]).filter { !$0.help.isEmpty }.map { flag in
        let letter = flag.letter.map { "-\($0), " } ?? "    "
        let argument = flag.argument.map { " \($0)" } ?? ""
        return ("\(letter)--\(flag.name)\(argument)", flag.help)
      })
    return "\(name): \(summary)\n\n\(examples)\nusage: \(usage)\n\n\(options)"
  }
}

/// Two columns, the first as wide as its widest cell.
func table(_ rows: [(String, String)]) -> String {
  let width = rows.map(\.0.count).max() ?? 0
  return rows.map { left, right in
    "  \(left)\(String(repeating: " ", count: width - left.count))  \(right)\n"
  }.joined()
}
