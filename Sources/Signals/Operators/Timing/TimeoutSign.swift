/// What `timeout` takes for a sign of life.
public enum TimeoutSign: Sendable, Hashable {
  /// Any value and any progress, also one that only says that the worker is alive.
  case any
  /// Values.
  case nextValue
  /// Values, and progress whose number moves: `fraction` or `done` above all before it in its attempt, or a later
  /// attempt. A worker that repeats "42 %" is stuck.
  case advance
}

/// Tells progress that moves from progress that is only repeated.
struct AdvanceDetector: Sendable {
  private var attempt = 0
  private var fraction = -1.0
  private var done = -1.0

  mutating func advances(_ update: ProgressUpdate) -> Bool {
    // What says no number at all says nothing about moving.
    guard update.fraction != nil || update.done != nil, update.attempt >= attempt else { return false }
    if update.attempt > attempt { (attempt, fraction, done) = (update.attempt, -1, -1) }
    let (newFraction, newDone) = (update.fraction ?? -1, update.done ?? -1)
    defer { (fraction, done) = (max(fraction, newFraction), max(done, newDone)) }
    return newFraction > fraction || newDone > done
  }
}
