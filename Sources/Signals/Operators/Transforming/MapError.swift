extension Signal {
  /// Fails with `transform` of the error with which the source fails. All else passes unchanged.
  public func mapError(
    _ transform: @escaping @Sendable (any Error) -> any Error
  ) -> Signal<Value> {
    Signal(attaching: { [attach] in attach(MapErrorObserver($0, transform)) })
  }
}

private final class MapErrorObserver<Value: Sendable>: OperatorObserver<Value, Value>,
  @unchecked Sendable
{
  // Sound: immutable.
  private let transform: @Sendable (any Error) -> any Error

  init(_ downstream: Observer<Value>, _ transform: @escaping @Sendable (any Error) -> any Error) {
    self.transform = transform
    super.init(downstream)
  }

  override func send(_ value: Value) { downstream.send(value) }
  override func fail(_ error: any Error) { downstream.fail(transform(error)) }
}
