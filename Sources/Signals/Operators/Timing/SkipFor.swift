extension Signal {
  /// Drops values for `duration` from the subscription on, and passes them afterwards. Needs no timer.
  ///
  /// Progress and the terminal always pass.
  public func skip(for duration: Duration, on scheduler: any Scheduler = .background) -> Signal<Value> {
    Signal(attaching: { [attach] in attach(SkipForObserver($0, duration, scheduler)) })
  }
}

private final class SkipForObserver<Value: Sendable>: OperatorObserver<Value, Value>,
  @unchecked Sendable
{
  // Sound: a source sends one event at a time.
  private let scheduler: any Scheduler
  private let start: Duration
  private var isOpen = false

  init(_ downstream: Observer<Value>, _ duration: Duration, _ scheduler: any Scheduler) {
    self.scheduler = scheduler
    start = scheduler.now + duration
    super.init(downstream)
  }

  override func send(_ value: Value) {
    if !isOpen { isOpen = scheduler.now >= start }
    if isOpen { downstream.send(value) }
  }
}
