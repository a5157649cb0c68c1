extension Signal {
  /// Sends the values for which `isIncluded` holds. Progress passes unchanged.
  @inlinable
  public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal<Value> {
    Signal(attaching: { [attach] in attach(FilterObserver($0, isIncluded)) })
  }
}

@usableFromInline
final class FilterObserver<Value: Sendable>: OperatorObserver<Value, Value>, @unchecked Sendable {
  // Sound: immutable.
  @usableFromInline let isIncluded: @Sendable (Value) -> Bool

  @inlinable
  init(_ downstream: Observer<Value>, _ isIncluded: @escaping @Sendable (Value) -> Bool) {
    self.isIncluded = isIncluded
    super.init(downstream)
  }

  @inlinable
  override func send(_ value: Value) {
    if isIncluded(value) { downstream.send(value) }
  }
}
