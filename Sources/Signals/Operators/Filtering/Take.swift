extension Signal {
  /// Sends the first `count` values and then completes. Progress passes until then; none is made up.
  ///
  /// The source is ended before the last value is delivered. `take(0)` completes at once, without subscribing to its
  /// source. A negative count is a programming error.
  @inlinable
  public func take(_ count: Int) -> Signal<Value> {
    precondition(count >= 0, "take(_:) takes 0 or more, not \(count)")
    guard count > 0 else { return .empty }
    return linked { TakeObserver($0, $1, count) }
  }
}

@usableFromInline
final class TakeObserver<Value: Sendable>: LinkedObserver<Value, Value>, @unchecked Sendable {
  // Sound: a source sends one event at a time.
  @usableFromInline var remaining: Int

  @inlinable
  init(_ downstream: Observer<Value>, _ link: Subscription, _ count: Int) {
    remaining = count
    super.init(downstream, link)
  }

  @inlinable
  override func send(_ value: Value) {
    guard !link.isDisposed else { return }
    remaining -= 1
    guard remaining == 0 else { return downstream.send(value) }
    // The source is ended first: its stop may be what the handler of the value waits for.
    guard link.end() else { return }
    downstream.send(value)
    downstream.complete()
  }
}
