extension Signal where Value == Void {
  /// Sends one value `delay` after the subscription, on `scheduler`, and completes.
  ///
  /// A cold signal: each subscription has its own time. A delay that is not positive means as soon as possible.
  public static func timer(after delay: Duration, on scheduler: any Scheduler = .background) -> Signal<Void> {
    Signal(attaching: { downstream in
      let funnel = Funnel(Timer(delay, scheduler), downstream)
      funnel.receive(.start)
      return funnel.sources
    })
  }
}

struct Timer: FunnelLogic {
  enum Input {
    case start
    case due
  }

  private let delay: Duration
  private let scheduler: any Scheduler

  init(_ delay: Duration, _ scheduler: any Scheduler) {
    self.delay = delay
    self.scheduler = scheduler
  }

  func receive(_ input: Input, _ downstream: Observer<Void>, _ funnel: Funnel<Self>) -> End? {
    switch input {
    case .start:
      funnel.schedule(0, after: delay, on: scheduler, .due)
      return nil
    case .due:
      downstream.send(())
      return .completed
    }
  }
}
