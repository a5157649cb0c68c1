/// How a job ended.
public struct JobOutcome: Sendable, Hashable {
  let state: JobState
  let exit: Int?
  let error: String?

  /// It ended well; programs also have an exit status.
  public static func done(exit: Int? = nil) -> JobOutcome { JobOutcome(state: .done, exit: exit, error: nil) }

  /// It failed, for a reason in one line.
  public static func failed(_ reason: String, exit: Int? = nil) -> JobOutcome {
    JobOutcome(state: .failed, exit: exit, error: reason)
  }

  /// It was called off.
  public static let cancelled = JobOutcome(state: .cancelled, exit: nil, error: nil)
}
