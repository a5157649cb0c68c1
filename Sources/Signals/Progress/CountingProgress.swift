extension Signal {
  /// Makes progress of the number of values: after the n-th value comes the progress n of `total`.
  ///
  /// - Parameters:
  ///   - total: how many values are expected, if that is known. More than that count on, at a fraction of 1; fewer
  ///     leave it below 1, since a completion makes up no progress.
  ///   - unit: what the values are: `"files"`.
  ///
  /// It replaces the source's own progress, which is dropped. Before a `retry` each attempt counts from 0. A negative
  /// total is a programming error; 0 is unknown.
  public func countingProgress(total: Int? = nil, unit: String? = nil) -> Signal<Value> {
    if let total {
      precondition(total >= 0, "countingProgress(total:) takes 0 or more, not \(total)")
    }
    let update = ProgressUpdate(total: total.map(Double.init), unit: unit)
    return Signal(attaching: { [attach] in attach(CountingProgressObserver($0, update)) })
  }
}

private final class CountingProgressObserver<Value: Sendable>: OperatorObserver<Value, Value>,
  @unchecked Sendable
{
  // Sound: a source sends one event at a time.
  private var update: ProgressUpdate
  private var count = 0

  init(_ downstream: Observer<Value>, _ update: ProgressUpdate) {
    self.update = update
    super.init(downstream)
  }

  override func send(_ value: Value) {
    count += 1
    update.done = Double(count)
    downstream.send(value)
    downstream.send(progress: update)
  }

  override func send(progress: ProgressUpdate) {}
}
