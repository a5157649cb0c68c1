extension Signal {
  /// Sends the first `count` values and then completes. Progress passes until then; none is made up.
  ///
  /// `take(0)` completes at once, without subscribing to its source.
  public func take(_ count: Int) -> Signal<Value> {
    precondition(count >= 0, "take(_:) takes 0 or more, not \(count)")
    guard count > 0 else { return .empty }
    return linked { TakeObserver($0, $1, count) }
  }
}

private final class TakeObserver<Value: Sendable>: LinkedObserver<Value, Value>, @unchecked Sendable {
  // Sound: a source sends one event at a time.
  private var remaining: Int

  init(_ downstream: Observer<Value>, _ link: Subscription, _ count: Int) {
    remaining = count
    super.init(downstream, link)
  }

  override func send(_ value: Value) {
    guard remaining > 0, !link.isDisposed else { return }
    remaining -= 1
    let isLast = remaining == 0
    // The source is ended first: its stop may be what the handler of the value waits for.
    if isLast { link.end() }
    downstream.send(value)
    if isLast { downstream.complete() }
  }
}
