extension Signal where Value == Int {
  /// Counts 0, 1, 2 …, the first after `period` and then one each `period`, without drift.
  ///
  /// Due times are counted from the subscription, so a late tick delays no other. Ticks that were missed altogether,
  /// behind a slow handler or while the machine slept, come as one; the count goes on by one. No progress is sent.
  ///
  /// A cold signal: each subscription has its own count. A period that is not positive is a programming error.
  public static func interval(_ period: Duration, on scheduler: any Scheduler = .background) -> Signal<Int> {
    precondition(period > .zero, "Signal.interval(_:) takes a period above zero, not \(period)")
    return Signal(attaching: { downstream in
      let funnel = Funnel(Interval(period, from: scheduler.now, on: scheduler), downstream)
      funnel.receive(.start)
      return funnel.sources
    })
  }
}

struct Interval: FunnelLogic {
  enum Input {
    case start
    case due
  }

  private let period: Duration
  private let scheduler: any Scheduler
  private var tick: Duration
  private var count = 0

  init(_ period: Duration, from start: Duration, on scheduler: any Scheduler) {
    self.period = period
    self.scheduler = scheduler
    tick = start
  }

  mutating func receive(
    _ input: Input, _ downstream: Observer<Int>, _ funnel: Funnel<Self>
  ) -> End? {
    if case .due = input {
      downstream.send(count)
      count += 1
    }
    let now = scheduler.now
    tick += period
    if tick < now { tick += (now - tick).roundedDown(to: period) }
    funnel.schedule(0, after: tick - now, on: scheduler, .due)
    return nil
  }
}
