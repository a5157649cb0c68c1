/// Limits values by a rule, and progress by another, each by itself.
struct RateLimit<Value: Sendable>: FunnelLogic {
  enum Input {
    case source(Event<Value>)
    case valueDue
    case progressDue
  }

  static var source: Int { 0 }
  private static var valueTimer: Int { 1 }
  private static var progressTimer: Int { 2 }

  private let scheduler: any Scheduler
  private var values: RateLimiter<Value>
  private var progress: RateLimiter<ProgressUpdate>

  init(
    _ rule: RateLimiter<Value>.Rule, progress: RateLimiter<ProgressUpdate>.Rule, _ period: Duration,
    on scheduler: any Scheduler
  ) {
    self.scheduler = scheduler
    values = RateLimiter(rule, period)
    self.progress = RateLimiter(progress, period)
  }

  mutating func receive(
    _ input: Input, _ downstream: Observer<Value>, _ funnel: Funnel<Self>
  ) -> End? {
    switch input {
    case .source(.next(let value)):
      perform(values.receive(value, at: scheduler.now), downstream, funnel)
    case .valueDue:
      perform(values.fired(at: scheduler.now), downstream, funnel)
    case .source(.progress(let update)):
      perform(progress.receive(update, at: scheduler.now), downstream, funnel)
    case .progressDue:
      perform(progress.fired(at: scheduler.now), downstream, funnel)
    case .source(.failed(let error)):
      if let update = progress.takeHeld() { downstream.send(progress: update) }
      return .failed(error)
    case .source(.completed):
      if let value = values.takeHeld() { downstream.send(value) }
      if let update = progress.takeHeld() { downstream.send(progress: update) }
      return .completed
    }
    return nil
  }

  private func perform(
    _ step: RateLimiter<Value>.Step, _ downstream: Observer<Value>, _ funnel: Funnel<Self>
  ) {
    if let value = step.send { downstream.send(value) }
    guard let delay = step.timer else { return }
    funnel.schedule(Self.valueTimer, after: delay, on: scheduler, .valueDue)
  }

  private func perform(
    _ step: RateLimiter<ProgressUpdate>.Step, _ downstream: Observer<Value>, _ funnel: Funnel<Self>
  ) {
    if let update = step.send { downstream.send(progress: update) }
    guard let delay = step.timer else { return }
    funnel.schedule(Self.progressTimer, after: delay, on: scheduler, .progressDue)
  }

  static func conflationKey(of input: Input) -> Int? {
    if case .source(.progress) = input { 0 } else { nil }
  }
}

extension Signal {
  func rateLimited(_ logic: @escaping @Sendable () -> RateLimit<Value>) -> Signal<Value> {
    Signal(attaching: { downstream in
      let funnel = Funnel(logic(), downstream)
      funnel.attach(RateLimit<Value>.source, to: self) { .source($0) }
      return funnel.sources
    })
  }
}
