extension Signal {
  /// Sends what `transform` makes of each value, and nothing where that is `nil`. Progress passes unchanged.
  @inlinable
  public func compactMap<Output>(
    _ transform: @escaping @Sendable (Value) -> Output?
  ) -> Signal<Output> {
    Signal<Output>(attaching: { [attach] in attach(CompactMapObserver($0, transform)) })
  }
}

@usableFromInline
final class CompactMapObserver<Input: Sendable, Output: Sendable>: OperatorObserver<Input, Output>,
  @unchecked Sendable
{
  // Sound: immutable.
  @usableFromInline let transform: @Sendable (Input) -> Output?

  @inlinable
  init(_ downstream: Observer<Output>, _ transform: @escaping @Sendable (Input) -> Output?) {
    self.transform = transform
    super.init(downstream)
  }

  @inlinable
  override func send(_ value: Input) {
    if let output = transform(value) { downstream.send(output) }
  }
}
