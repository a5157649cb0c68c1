extension Signal {
  /// Sends, for each value, what `combine` makes of the previous result and the value; `initial` itself is not sent.
  /// Progress passes unchanged.
  ///
  /// Each subscription begins with `initial`, so it should be a value type, or one that nobody changes.
  @inlinable
  public func scan<Output>(
    _ initial: Output, _ combine: @escaping @Sendable (Output, Value) -> Output
  ) -> Signal<Output> {
    scan(into: initial) { $0 = combine($0, $1) }
  }

  /// The same, where `update` changes the previous result in place.
  @inlinable
  public func scan<Output>(
    into initial: Output, _ update: @escaping @Sendable (inout Output, Value) -> Void
  ) -> Signal<Output> {
    Signal<Output>(attaching: { [attach] in attach(ScanObserver($0, initial, update)) })
  }
}

@usableFromInline
final class ScanObserver<Input: Sendable, Output: Sendable>: OperatorObserver<Input, Output>,
  @unchecked Sendable
{
  // Sound: a source sends one event at a time.
  @usableFromInline var result: Output
  @usableFromInline let update: @Sendable (inout Output, Input) -> Void

  @inlinable
  init(
    _ downstream: Observer<Output>, _ initial: Output,
    _ update: @escaping @Sendable (inout Output, Input) -> Void
  ) {
    result = initial
    self.update = update
    super.init(downstream)
  }

  @inlinable
  override func send(_ value: Input) {
    update(&result, value)
    downstream.send(result)
  }
}
