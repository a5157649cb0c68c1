extension Signal {
  /// Sends `transform` of each value; what it throws ends the source and fails the signal. Progress passes unchanged.
  public func tryMap<Output>(
    _ transform: @escaping @Sendable (Value) throws -> Output
  ) -> Signal<Output> {
    linked { TryMapObserver($0, $1, transform) }
  }
}

private final class TryMapObserver<Input: Sendable, Output: Sendable>: LinkedObserver<Input, Output>,
  @unchecked Sendable
{
  // Sound: immutable.
  private let transform: @Sendable (Input) throws -> Output

  init(
    _ downstream: Observer<Output>, _ link: Subscription,
    _ transform: @escaping @Sendable (Input) throws -> Output
  ) {
    self.transform = transform
    super.init(downstream, link)
  }

  override func send(_ value: Input) {
    guard !link.isDisposed else { return }
    let output: Output
    do { output = try transform(value) } catch { return fail(error) }
    downstream.send(output)
  }
}
