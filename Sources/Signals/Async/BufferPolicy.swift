/// What an async view keeps while nobody takes from it.
///
/// It is about values: progress and the terminal don't count, and are never dropped for want of room. While a task
/// waits for the next, it is given whatever comes. A task takes over all that is kept when it asks for the next, and
/// is given it one by one: what it has taken over is not dropped any more, and does not count.
public enum BufferPolicy: Sendable, Hashable {
  /// Everything. A consumer that is slower than its source for ever needs memory for ever.
  case unbounded
  /// The newest values, up to this many: the oldest is dropped for a new one.
  case newest(Int)
  /// The oldest values, up to this many: a new one is dropped.
  case oldest(Int)
}
