extension Signal where Value == Int {
  /// Counts 0, 1, 2 …, the first after `period` and then one each `period`, without drift.
  ///
  /// A cold signal: each subscription has its own count. A period that is not positive is a programming error.
  public static func interval(_ period: Duration, on scheduler: any Scheduler = .background) -> Signal<Int> {
    precondition(period > .zero, "Signal.interval(_:) takes a period above zero, not \(period)")
    return Signal(attaching: { downstream in
      let ticker = Ticker(period, scheduler, downstream)
      ticker.scheduleNext()
      return ticker
    })
  }
}

private final class Ticker: Disposable {
  private struct State {
    var count = 0
    var pending: (any Disposable)?
    var isDisposed = false
  }

  private let period: Duration
  private let scheduler: any Scheduler
  private let start: Duration
  private let downstream: Observer<Int>
  private let state = Lock(State())

  init(_ period: Duration, _ scheduler: any Scheduler, _ downstream: Observer<Int>) {
    self.period = period
    self.scheduler = scheduler
    self.downstream = downstream
    start = scheduler.now
  }

  /// Due times are counted from the start, so a late tick delays no other. Ticks that were missed altogether (a
  /// machine that slept) come at once.
  func scheduleNext() {
    let ticks = state.withLock { $0.count } + 1
    let pending = scheduler.schedule(after: start + period * ticks - scheduler.now) { [self] in tick() }
    let isLate = state.withLock { state in
      // The tick may have come already, on another thread, and scheduled its own successor.
      if !state.isDisposed, state.count + 1 == ticks { state.pending = pending }
      return state.isDisposed
    }
    if isLate { pending.dispose() }
  }

  private func tick() {
    let count = state.withLock { state -> Int? in
      guard !state.isDisposed else { return nil }
      defer { state.count += 1 }
      return state.count
    }
    guard let count else { return }
    downstream.send(count)
    if !state.withLock({ $0.isDisposed }) { scheduleNext() }
  }

  func dispose() {
    let pending = state.withLock { state in
      state.isDisposed = true
      return state.pending.take()
    }
    pending?.dispose()
  }
}
