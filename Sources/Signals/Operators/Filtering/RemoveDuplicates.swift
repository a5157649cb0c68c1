extension Signal {
  /// Drops each value that `areSame` as the value before it. Progress passes unchanged.
  @inlinable
  public func removeDuplicates(
    by areSame: @escaping @Sendable (_ previous: Value, _ current: Value) -> Bool
  ) -> Signal<Value> {
    Signal(attaching: { [attach] in attach(RemoveDuplicatesObserver($0, areSame)) })
  }
}

extension Signal where Value: Equatable {
  /// Drops each value that equals the value before it. Progress passes unchanged.
  @inlinable
  public func removeDuplicates() -> Signal<Value> { removeDuplicates { $0 == $1 } }
}

@usableFromInline
final class RemoveDuplicatesObserver<Value: Sendable>: OperatorObserver<Value, Value>,
  @unchecked Sendable
{
  // Sound: a source sends one event at a time.
  @usableFromInline let areSame: @Sendable (Value, Value) -> Bool
  @usableFromInline var previous: Value?

  @inlinable
  init(_ downstream: Observer<Value>, _ areSame: @escaping @Sendable (Value, Value) -> Bool) {
    self.areSame = areSame
    super.init(downstream)
  }

  @inlinable
  override func send(_ value: Value) {
    if let previous, areSame(previous, value) { return }
    previous = value
    downstream.send(value)
  }
}
