extension Signal {
  /// Sends `transform` of each value. Progress passes unchanged, in its place between the values.
  @inlinable
  public func map<Output>(_ transform: @escaping @Sendable (Value) -> Output) -> Signal<Output> {
    Signal<Output>(attaching: { [attach] in attach(MapObserver($0, transform)) })
  }
}

@usableFromInline
final class MapObserver<Input: Sendable, Output: Sendable>: OperatorObserver<Input, Output>,
  @unchecked Sendable
{
  // Sound: immutable.
  @usableFromInline let transform: @Sendable (Input) -> Output

  @inlinable
  init(_ downstream: Observer<Output>, _ transform: @escaping @Sendable (Input) -> Output) {
    self.transform = transform
    super.init(downstream)
  }

  @inlinable
  override func send(_ value: Input) { downstream.send(transform(value)) }
}
