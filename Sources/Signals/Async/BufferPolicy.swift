/// What an async view keeps while nobody takes from it.
///
/// It is about values: progress and the terminal don't count, and are never dropped for want of room. While a task
/// waits for the next, it is given whatever comes. A value counts until a task is given it: one that asks late gets
/// what the policy keeps by then. A bound is 0 or more; a negative one is a programming error, which stops the program
/// where the view is made.
public enum BufferPolicy: Sendable, Hashable {
  /// Everything. A consumer that is slower than its source for ever needs memory for ever.
  /// A task that asks for the next takes over all that is kept; progress among it doesn't give way to newer any more.
  case unbounded
  /// The newest values, up to this many: the oldest is dropped for a new one.
  case newest(Int)
  /// The oldest values, up to this many: a new one is dropped.
  case oldest(Int)

  /// Stops the program where the bound is negative.
  func check() {
    switch self {
    case .unbounded: break
    case .newest(let bound): precondition(bound >= 0, "BufferPolicy.newest takes 0 or more, not \(bound)")
    case .oldest(let bound): precondition(bound >= 0, "BufferPolicy.oldest takes 0 or more, not \(bound)")
    }
  }
}
