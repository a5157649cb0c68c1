extension Signal {
  /// Drops the first `count` values. Progress passes unchanged, from the beginning.
  ///
  /// A negative count is a programming error.
  @inlinable
  public func skip(_ count: Int) -> Signal<Value> {
    precondition(count >= 0, "skip(_:) takes 0 or more, not \(count)")
    return Signal(attaching: { [attach] in attach(SkipObserver($0, count)) })
  }
}

@usableFromInline
final class SkipObserver<Value: Sendable>: OperatorObserver<Value, Value>, @unchecked Sendable {
  // Sound: a source sends one event at a time.
  @usableFromInline var remaining: Int

  @inlinable
  init(_ downstream: Observer<Value>, _ count: Int) {
    remaining = count
    super.init(downstream)
  }

  @inlinable
  override func send(_ value: Value) {
    if remaining == 0 { return downstream.send(value) }
    remaining -= 1
  }
}
