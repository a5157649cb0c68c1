/// What an async view keeps while nobody takes from it.
public enum BufferPolicy: Sendable, Hashable {
  /// Everything. A consumer that is slower than its source for ever needs memory for ever.
  case unbounded
  /// The newest values, up to this many: the oldest is dropped for a new one.
  case newest(Int)
  /// The oldest values, up to this many: a new one is dropped.
  case oldest(Int)
}
