extension Signal {
  /// Sends values as long as `isIncluded` holds; the first one for which it does not ends the source and completes.
  ///
  /// - Parameter inclusive: whether that value is still sent, as the last one.
  ///
  /// Progress passes until then.
  public func take(
    while isIncluded: @escaping @Sendable (Value) -> Bool, inclusive: Bool = false
  ) -> Signal<Value> {
    linked { TakeWhileObserver($0, $1, isIncluded, inclusive) }
  }
}

private final class TakeWhileObserver<Value: Sendable>: LinkedObserver<Value, Value>,
  @unchecked Sendable
{
  // Sound: immutable.
  private let isIncluded: @Sendable (Value) -> Bool
  private let inclusive: Bool

  init(
    _ downstream: Observer<Value>, _ link: Subscription,
    _ isIncluded: @escaping @Sendable (Value) -> Bool, _ inclusive: Bool
  ) {
    self.isIncluded = isIncluded
    self.inclusive = inclusive
    super.init(downstream, link)
  }

  override func send(_ value: Value) {
    guard !link.isDisposed else { return }
    if isIncluded(value) { return downstream.send(value) }
    guard link.end() else { return }
    if inclusive { downstream.send(value) }
    downstream.complete()
  }
}
