import Signals

/// What an operator does with the progress of its source: a row of the table in the article about progress.
enum ProgressRow: Sendable {
  /// Passes at once, in its place between the values, to the end of the operator.
  case unchanged
  /// In one queue with the values, where it may conflate.
  case queued
  /// Conflated to the latest; a pending one goes out before the terminal.
  case conflated
  /// One for all sources: this one's `share` of the whole, of which `from` is done without it.
  case aggregated(from: Double, share: Double)
  /// Passes with the highest fraction so far.
  case raised
  /// Passes as that of attempt `number`.
  case attempt(Int)
  /// Passes as something else, or not at all.
  case mapped(@Sendable (ProgressUpdate) -> ProgressUpdate?)
  /// Becomes a value, written so.
  case asValue(@Sendable (ProgressUpdate) -> String)
  /// Never passes.
  case dropped
  /// It depends on more than the source: tests of its own say on what.
  case whatever

  /// Whether the source's progress needs time to come out.
  var takesTime: Bool {
    switch self {
    case .queued, .conflated: true
    default: false
    }
  }

  /// Whether more than what the source said may come out: what has completed counts in full.
  var addsCompletions: Bool { if case .aggregated = self { true } else { false } }

  /// What comes out for `update`, after `highest` was the largest fraction so far, this one included.
  func expected(_ update: ProgressUpdate, highest: Double) -> [String] {
    switch self {
    case .unchanged, .queued, .conflated: return [Self.text(update)]
    case .aggregated(let from, let share):
      return [Self.text(ProgressUpdate(fraction: from + share * highest))]
    case .raised: return [Self.text(ProgressUpdate(fraction: highest))]
    case .attempt(let number):
      var update = update
      update.attempt = number
      return [Self.text(update)]
    case .mapped(let transform): return transform(update).map { [Self.text($0)] } ?? []
    case .asValue(let write): return ["next(\(write(update)))"]
    case .dropped, .whatever: return []
    }
  }

  /// All of an update that the scripts and the operators use; its description leaves most of it out.
  static func text(_ update: ProgressUpdate) -> String {
    var text = "progress(\(update.fraction ?? -1)"
    if update.attempt != 1 { text += " attempt \(update.attempt)" }
    if let weight = update.weight { text += " weight \(weight)" }
    if let done = update.done { text += " done \(done)" }
    return text + ")"
  }
}
