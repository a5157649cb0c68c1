extension Signal {
  /// Drops the values: progress and the terminal remain.
  ///
  /// The type of the values stays, so that it can be merged with others of its kind. To handle progress as values,
  /// see `progressUpdates()`.
  public func onlyProgress() -> Signal<Value> { filter { _ in false } }

  /// Sends each progress as a value, and drops the values.
  ///
  /// It has no progress of its own; terminals pass unchanged. So what works on values works on progress:
  /// `removeDuplicates()`, `scan`, `collect()`.
  public func progressUpdates() -> Signal<ProgressUpdate> {
    Signal<ProgressUpdate>(attaching: { [attach] in attach(ProgressUpdatesObserver($0)) })
  }
}

private final class ProgressUpdatesObserver<Value: Sendable>: OperatorObserver<Value, ProgressUpdate>,
  @unchecked Sendable
{
  // Sound: immutable.
  override func send(_ value: Value) {}
  override func send(progress: ProgressUpdate) { downstream.send(progress) }
}
