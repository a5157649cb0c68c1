extension Signal {
  /// Combines all values to one, which is sent when the source completes: `initial` if it sent none.
  ///
  /// Progress passes at once. A failure passes, and the values so far are dropped.
  public func reduce<Output>(
    _ initial: Output, _ combine: @escaping @Sendable (Output, Value) -> Output
  ) -> Signal<Output> {
    reduce(into: initial) { $0 = combine($0, $1) }
  }

  /// The same, where `update` changes the result in place.
  public func reduce<Output>(
    into initial: Output, _ update: @escaping @Sendable (inout Output, Value) -> Void
  ) -> Signal<Output> {
    Signal<Output>(attaching: { [attach] in attach(ReduceObserver($0, initial, update)) })
  }

  /// Sends all values as one array when the source completes, an empty one if there were none.
  ///
  /// Progress passes at once and is not collected. A failure passes, and the values so far are dropped.
  public func collect() -> Signal<[Value]> {
    reduce(into: []) { $0.append($1) }
  }
}

private final class ReduceObserver<Input: Sendable, Output: Sendable>: OperatorObserver<Input, Output>,
  @unchecked Sendable
{
  // Sound: a source sends one event at a time.
  private var result: Output
  private let update: @Sendable (inout Output, Input) -> Void

  init(
    _ downstream: Observer<Output>, _ initial: Output,
    _ update: @escaping @Sendable (inout Output, Input) -> Void
  ) {
    result = initial
    self.update = update
    super.init(downstream)
  }

  override func send(_ value: Input) { update(&result, value) }

  override func complete() {
    downstream.send(result)
    downstream.complete()
  }
}
