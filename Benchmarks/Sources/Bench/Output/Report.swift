/// Prints rows as they come: a table for people, or one JSON object a line for programs.
final class Report {
  private let isJSON: Bool
  private var met = 0
  private var goals = 0

  init(isJSON: Bool) {
    self.isJSON = isJSON
    if !isJSON { Console.say(Self.line("", "ours", "floor", "ratio", "goal", "", "")) }
  }

  func add(_ row: Row) {
    if let isMet = row.isMet {
      goals += 1
      met += isMet ? 1 : 0
    }
    Console.say(isJSON ? row.json : Self.line(row))
  }

  /// Says how rows that differ only in a size grow from the first to the last.
  func growth(of what: String, _ rows: [(size: String, row: Row)]) {
    guard let first = rows.first else { return }
    let parts = rows.dropFirst().map { size, row in
      let ours = (row.ours / first.row.ours).text(decimals: 2)
      if first.row.ratio == nil { return "×\(ours) at \(size)" }
      let floor = (row.baseline / first.row.baseline).text(decimals: 2)
      return "×\(ours) at \(size) (floor ×\(floor))"
    }
    note("growth: \(what), from \(first.size): \(parts.joined(separator: ", "))")
  }

  /// Says something about the rows above.
  func note(_ text: String) {
    if !isJSON { Console.say("  \(text)") }
  }

  func finish() {
    let summary = "\(met) of \(goals) goals are met"
    // What a program reads stays objects.
    if isJSON { Console.complain(summary) } else { Console.say(summary) }
  }

  private static func line(_ row: Row) -> String {
    let goal =
      switch row.goal {
      case .ratio(let limit): "≤ \(limit.text(decimals: 1)) ×"
      case .most(let limit): "≤ \(limit.text(decimals: 0))  "
      case nil: ""
      }
    return line(
      row.name, row.ours.text(decimals: 1), row.baseline.text(decimals: 1),
      row.ratio?.text(decimals: 2) ?? "–", goal, row.isMet.map { $0 ? "ok" : "over" } ?? "", row.unit)
  }

  private static func line(
    _ name: String, _ ours: String, _ floor: String, _ ratio: String, _ goal: String, _ verdict: String,
    _ unit: String
  ) -> String {
    name.filled(to: 52) + ours.pushed(to: 9) + floor.pushed(to: 9) + ratio.pushed(to: 8) + goal.pushed(to: 9)
      + "  " + verdict.filled(to: 6) + unit
  }
}

extension Row {
  /// The row as an object; `goal_for` says what the goal bounds.
  fileprivate var json: String {
    let (goal, what) =
      switch goal {
      case .ratio(let limit): ("\(limit)", #""ratio""#)
      case .most(let limit): ("\(limit)", #""ours""#)
      case nil: ("null", "null")
      }
    return """
      {"name":"\(name)","ours":\(ours.text(decimals: 3)),"baseline":\(baseline.text(decimals: 3)),\
      "ratio":\(ratio?.text(decimals: 3) ?? "null"),"goal":\(goal),"goal_for":\(what),"unit":"\(unit)"}
      """
  }
}
