extension Signal {
  /// Drops values as long as `isSkipped` holds; from the first one for which it does not, all pass, and it is not
  /// asked again. Progress passes unchanged, from the beginning.
  public func skip(while isSkipped: @escaping @Sendable (Value) -> Bool) -> Signal<Value> {
    Signal(attaching: { [attach] in attach(SkipWhileObserver($0, isSkipped)) })
  }
}

private final class SkipWhileObserver<Value: Sendable>: OperatorObserver<Value, Value>,
  @unchecked Sendable
{
  // Sound: a source sends one event at a time.
  private let isSkipped: @Sendable (Value) -> Bool
  private var hasBegun = false

  init(_ downstream: Observer<Value>, _ isSkipped: @escaping @Sendable (Value) -> Bool) {
    self.isSkipped = isSkipped
    super.init(downstream)
  }

  override func send(_ value: Value) {
    if !hasBegun {
      if isSkipped(value) { return }
      hasBegun = true
    }
    downstream.send(value)
  }
}
