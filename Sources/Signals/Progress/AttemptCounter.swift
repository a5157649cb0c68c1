/// Numbers the attempts of work that is tried again, on top of the attempts that the work counts by itself.
struct AttemptCounter: Sendable {
  private var base = 0
  private var highest = 0

  /// Gives an update of the current try its attempt.
  mutating func stamp(_ update: ProgressUpdate) -> ProgressUpdate {
    var update = update
    update.attempt = Self.sum(base, update.attempt)
    highest = max(highest, update.attempt)
    return update
  }

  /// A new try begins: its attempts come after all of those before.
  mutating func restart() { base = max(Self.sum(base, 1), highest) }

  /// What others say may be as large as an `Int` can be.
  private static func sum(_ a: Int, _ b: Int) -> Int {
    let (sum, overflows) = a.addingReportingOverflow(b)
    return overflows ? .max : sum
  }
}
