extension Signal {
  /// Fails with `SignalError.timedOut(after:)` when no sign of life has come for `duration`.
  ///
  /// The time runs from the subscription, and from each sign on: any event unless `awaiting` names another sign of life. Everything
  /// passes unchanged, progress too. At the timeout the source is disposed, and then the failure is sent on the thread
  /// of `scheduler` (or on the source's, when it sends at that moment). A sign that comes too late, but before a late
  /// timer, still counts. For a bound that no sign moves use `take(for:)`.
  public func timeout(
    _ duration: Duration, awaiting sign: TimeoutSign = .any, on scheduler: any Scheduler = .background
  ) -> Signal<Value> {
    precondition(duration > .zero, "timeout(_:) takes a duration above zero, not \(duration)")
    return Signal(attaching: { downstream in
      let deadline = Deadline(duration, from: scheduler.now)
      let funnel = Funnel(Timeout<Value>(deadline, sign, scheduler), downstream)
      funnel.receive(.tick)
      funnel.attach(Timeout<Value>.source, to: self) { .source($0) }
      return funnel.sources
    })
  }
}

struct Timeout<Value: Sendable>: FunnelLogic {
  enum Input {
    case source(Event<Value>)
    case tick
  }

  static var source: Int { 0 }
  private static var timer: Int { 1 }

  private var deadline: Deadline
  private let sign: TimeoutSign
  private let scheduler: any Scheduler
  private var detector = AdvanceDetector()

  init(_ deadline: Deadline, _ sign: TimeoutSign, _ scheduler: any Scheduler) {
    self.deadline = deadline
    self.sign = sign
    self.scheduler = scheduler
  }

  mutating func receive(
    _ input: Input, _ downstream: Observer<Value>, _ funnel: Funnel<Self>
  ) -> End? {
    switch input {
    case .source(.next(let value)):
      downstream.send(value)
      // After the handler: while it ran the source could not send.
      deadline.extend(at: scheduler.now)
    case .source(.progress(let update)):
      downstream.send(progress: update)
      if isSign(update) { deadline.extend(at: scheduler.now) }
    case .source(.failed(let error)): return .failed(error)
    case .source(.completed): return .completed
    case .tick:
      guard let delay = deadline.remaining(at: scheduler.now) else {
        return .failed(SignalError.timedOut(after: deadline.duration))
      }
      funnel.schedule(Self.timer, after: delay, on: scheduler, .tick)
    }
    return nil
  }

  private mutating func isSign(_ update: ProgressUpdate) -> Bool {
    switch sign {
    case .any: true
    case .nextValue: false
    case .advance: detector.advances(update)
    }
  }
}
