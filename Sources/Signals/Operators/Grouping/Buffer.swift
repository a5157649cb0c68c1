extension Signal {
  /// Sends the values in arrays of `count`, and what is left at the completion. A failure drops what is left.
  ///
  /// Progress passes at once, neither buffered nor counted.
  public func buffer(count: Int) -> Signal<[Value]> {
    precondition(count > 0, "buffer(count:) takes 1 or more, not \(count)")
    return Batches.signal(of: self, count: count) { BufferSink<Value>() }
  }

  /// Sends the values in arrays: of `count`, or of those that have come within `duration` after the first of them. So no
  /// value waits longer than that, there are no empty arrays, and no timer runs while nothing comes.
  ///
  /// What is left is sent at the completion, and dropped at a failure. Arrays whose time is up are sent on `scheduler`.
  /// Progress passes at once, neither buffered nor counted.
  public func buffer(
    count: Int = .max, every duration: Duration, on scheduler: any Scheduler = .background
  ) -> Signal<[Value]> {
    precondition(count > 0, "buffer(count:every:on:) takes 1 or more values, not \(count)")
    precondition(duration > .zero, "buffer(count:every:on:) takes a time above zero, not \(duration)")
    let limit = Batches<BufferSink<Value>>.Limit(duration: duration, scheduler: scheduler)
    return Batches.signal(of: self, count: count, limit) { BufferSink<Value>() }
  }
}

/// Collects a batch in an array.
private struct BufferSink<Value: Sendable>: BatchSink {
  private var values: [Value] = []

  mutating func begin(_ downstream: Observer<[Value]>) {}

  mutating func add(_ value: Value) { values.append(value) }

  mutating func end(_ downstream: Observer<[Value]>, _ end: End) {
    guard case .completed = end else { return }
    let batch = values
    values = []
    downstream.send(batch)
  }
}
