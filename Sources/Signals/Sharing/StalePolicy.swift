/// What a shared signal does with the replayed values of a run that is over.
public struct StalePolicy: Sendable, Hashable {
  /// `nil`: nothing is kept.
  let maxAge: Duration?

  /// Forgets them: who comes gets nothing of an earlier run.
  public static let drop = StalePolicy(maxAge: nil)

  /// Keeps them, however old they are, until a later run sends a value of its own.
  ///
  /// Who comes to a fresh run gets them first, each once. Only values are kept, never progress or the end, and it does
  /// not matter how the run ended. Without a replay there is nothing to keep.
  public static let keep = StalePolicy(maxAge: .seconds(Int64.max))

  /// Keeps them likewise, but gives nobody a value that was sent more than `maxAge` ago.
  ///
  /// The age is measured by the scheduler of the shared signal. The values of a run that goes on have no such limit.
  public static func keep(maxAge: Duration) -> StalePolicy {
    precondition(maxAge >= .zero, "StalePolicy.keep(maxAge:) takes a duration from zero on, not \(maxAge)")
    return StalePolicy(maxAge: maxAge)
  }
}
