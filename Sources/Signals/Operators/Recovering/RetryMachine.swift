/// When work that fails is tried again, as a pure value type: it is told what happened and returns what to do.
struct RetryMachine: Sendable {
  enum Action: Equatable, Sendable {
    /// Start the source again.
    case start
    /// Say `due` after this time, which is above zero.
    case wait(Duration)
    /// Pass the failure on.
    case giveUp
  }

  /// What a policy may look at.
  struct Failure: Equatable, Sendable {
    /// Which try has failed, from 1 on.
    var attempt: Int
    /// How many tries have failed one after the other without a value between them, from 1 on.
    var streak: Int
  }

  private var failure = Failure(attempt: 0, streak: 0)
  private var isWaiting = false

  /// The source has sent a value.
  mutating func delivered() { failure.streak = 0 }

  /// The source has failed: say `retry(after:)` next.
  mutating func failed() -> Failure {
    failure.attempt += 1
    failure.streak += 1
    return failure
  }

  /// What the policy says to the failure: how long to wait, or `nil` to give up.
  mutating func retry(after delay: Duration?) -> Action {
    guard let delay else { return .giveUp }
    guard delay > .zero else { return .start }
    isWaiting = true
    return .wait(delay)
  }

  /// The time to wait has passed.
  mutating func due() -> Action? {
    guard isWaiting else { return nil }
    isWaiting = false
    return .start
  }
}
