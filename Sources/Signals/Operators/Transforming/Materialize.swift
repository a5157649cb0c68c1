extension Signal {
  /// Sends each event as a value: values, progress, and the terminal, after which it completes.
  ///
  /// It never fails, and has no progress of its own. `dematerialize()` is the way back.
  public func materialize() -> Signal<Event<Value>> {
    Signal<Event<Value>>(attaching: { [attach] in attach(MaterializeObserver($0)) })
  }

  /// Turns values that are events back into events: the opposite of `materialize()`.
  ///
  /// A value that is a terminal ends the source. Where none comes, the source's own terminal counts; the source's own
  /// progress passes unchanged.
  public func dematerialize<Inner>() -> Signal<Inner> where Value == Event<Inner> {
    linked { DematerializeObserver($0, $1) }
  }
}

private final class MaterializeObserver<Value: Sendable>: OperatorObserver<Value, Event<Value>>,
  @unchecked Sendable
{
  // Sound: immutable.
  override func send(_ value: Value) { downstream.send(.next(value)) }
  override func send(progress: ProgressUpdate) { downstream.send(.progress(progress)) }
  override func fail(_ error: any Error) { end(.failed(error)) }
  override func complete() { end(.completed) }

  private func end(_ terminal: Event<Value>) {
    downstream.send(terminal)
    downstream.complete()
  }
}

private final class DematerializeObserver<Value: Sendable>: LinkedObserver<Event<Value>, Value>,
  @unchecked Sendable
{
  // Sound: immutable.
  override func send(_ event: Event<Value>) {
    guard !link.isDisposed else { return }
    switch event {
    case .next(let value): downstream.send(value)
    case .progress(let update): downstream.send(progress: update)
    case .failed(let error): fail(error)
    case .completed: complete()
    }
  }
}
