extension Signal {
  /// An operator of your own: for each value `receive` sends what it likes, with a state of its own for each subscription.
  ///
  /// Progress and terminals pass unchanged, unless `receive` sends an end of its own; then the source is ended, and what
  /// comes afterwards is dropped. An endless source that sends while it starts learns when nobody listens any more.
  ///
  /// ```swift
  /// extension Signal {
  ///   func pairwise() -> Signal<(Value, Value)> {
  ///     transform(nil) { (last: inout Value?, value, observer) in
  ///       if let last { observer.send((last, value)) }
  ///       last = value
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// `receive` runs on the thread that sends, one call at a time. It may keep the observer only for this call.
  public func transform<State: Sendable, Output>(
    _ initial: State,
    _ receive: @escaping @Sendable (inout State, Value, Observer<Output>) -> Void
  ) -> Signal<Output> {
    linked { TransformObserver($0, $1, initial, receive) }
  }
}

private final class TransformObserver<State: Sendable, Input: Sendable, Output: Sendable>:
  LinkedObserver<Input, Output>, @unchecked Sendable
{
  // Sound: a source sends one event at a time.
  private var state: State
  private let receive: @Sendable (inout State, Input, Observer<Output>) -> Void
  private let outlet: Outlet<Output>

  init(
    _ downstream: Observer<Output>, _ link: Subscription, _ initial: State,
    _ receive: @escaping @Sendable (inout State, Input, Observer<Output>) -> Void
  ) {
    state = initial
    self.receive = receive
    outlet = Outlet(downstream, link)
    super.init(downstream, link)
  }

  override func send(_ value: Input) {
    if !link.isDisposed { receive(&state, value, outlet) }
  }
}

/// What `receive` sends into: passes everything on until the link has ended, and ends it at a terminal.
private final class Outlet<Value: Sendable>: LinkedObserver<Value, Value>, @unchecked Sendable {
  // Sound: immutable.
  override func send(_ value: Value) {
    if !link.isDisposed { downstream.send(value) }
  }
}
