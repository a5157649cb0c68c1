extension Signal {
  /// Sends everything `duration` later, in order: values, progress, the completion and the failure too.
  ///
  /// The whole signal moves in time, and nothing that came before the end is lost. Progress that is due when newer
  /// progress right behind it is due as well is left out. Events come on the thread of `scheduler`, or on the source's
  /// when it sends at that moment: follow it by `observe(on:)` where that matters. A disposal drops what waits.
  public func delay(_ duration: Duration, on scheduler: any Scheduler = .background) -> Signal<Value> {
    precondition(duration >= .zero, "delay(_:) takes zero or more, not \(duration)")
    return Signal(attaching: { downstream in
      let funnel = Funnel(Delay<Value>(duration, scheduler), downstream)
      // The time is taken here: a slow handler must not make what waits for it come later still.
      funnel.attach(Delay<Value>.source, to: self) { .source($0, at: scheduler.now) }
      return funnel.sources
    })
  }
}

struct Delay<Value: Sendable>: FunnelLogic {
  enum Input {
    case source(Event<Value>, at: Duration)
    case due
  }

  static var source: Int { 0 }
  private static var timer: Int { 1 }

  private let duration: Duration
  private let scheduler: any Scheduler
  private var waiting = Ring<(due: Duration, event: Event<Value>)>()

  init(_ duration: Duration, _ scheduler: any Scheduler) {
    self.duration = duration
    self.scheduler = scheduler
  }

  mutating func receive(
    _ input: Input, _ downstream: Observer<Value>, _ funnel: Funnel<Self>
  ) -> End? {
    switch input {
    case .source(let event, let time):
      let isFirst = waiting.isEmpty
      waiting.append((time + duration, event))
      // It ended by itself: the timer is what goes on.
      if event.isTerminal { funnel.stop(Self.source) }
      if isFirst { schedule(funnel) }
    case .due:
      if let end = sendDue(downstream, funnel) { return end }
      schedule(funnel)
    }
    return nil
  }

  /// The next time, if anything waits.
  private func schedule(_ funnel: Funnel<Self>) {
    guard let first = waiting.first else { return }
    funnel.schedule(Self.timer, after: first.due - scheduler.now, on: scheduler, .due)
  }

  private mutating func sendDue(_ downstream: Observer<Value>, _ funnel: Funnel<Self>) -> End? {
    let now = scheduler.now
    // A handler may dispose, and much may be due.
    while !funnel.sources.isClosed, let first = waiting.first, first.due <= now {
      _ = waiting.popFirst()
      switch first.event {
      case .next(let value):
        downstream.send(value)
      case .progress(let update):
        if let next = waiting.first, next.due <= now, case .progress = next.event { continue }
        downstream.send(progress: update)
      case .failed(let error): return .failed(error)
      case .completed: return .completed
      }
    }
    return nil
  }
}
