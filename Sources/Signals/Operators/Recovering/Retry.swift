extension Signal {
  /// Subscribes anew when this signal fails, up to `count` times; passes the next failure on.
  ///
  /// The delays of `backoff` begin again at its initial one once a try has sent a value; `count` does not. After a
  /// delay the next try starts on `scheduler`, without one on the thread that failed.
  ///
  /// A stop that takes time is not waited for before the next try; behind `shared()` it is.
  ///
  /// Progress: the attempt of each try is one above that of the try before, and its fraction may start again; attempts
  /// that the source counts by itself are added.
  public func retry(
    _ count: Int, backoff: Backoff = .none, on scheduler: any Scheduler = .background
  ) -> Signal<Value> {
    precondition(count >= 0, "retry(_:) takes 0 or more, not \(count)")
    return retrying(on: scheduler) { (_, failure) in
      failure.attempt <= count ? backoff.delay(beforeRetry: failure.streak) : nil
    }
  }

  /// Subscribes anew whenever this signal fails, without an end. See `retry(_:backoff:on:)`.
  ///
  /// Mind the backoff: with `.none`, a signal that fails at once keeps its thread busy until it is disposed.
  public func retry(backoff: Backoff, on scheduler: any Scheduler = .background) -> Signal<Value> {
    retrying(on: scheduler) { (_, failure) in backoff.delay(beforeRetry: failure.streak) }
  }

  /// Subscribes anew after the delay that `delay` returns for a failure, or passes the failure on where that is `nil`.
  ///
  /// It is given the error and which try has failed, from 1 on, and runs on the thread that failed. See
  /// `retry(_:backoff:on:)` for threads and progress.
  ///
  /// ```swift
  /// request.retry { error, attempt in error is Unreachable && attempt < 5 ? .seconds(attempt) : nil }
  /// ```
  public func retry(
    on scheduler: any Scheduler = .background,
    when delay: @escaping @Sendable (_ error: any Error, _ attempt: Int) -> Duration?
  ) -> Signal<Value> {
    retrying(on: scheduler) { (error, failure) in delay(error, failure.attempt) }
  }

  private func retrying(
    on scheduler: any Scheduler,
    _ delay: @escaping @Sendable (any Error, RetryMachine.Failure) -> Duration?
  ) -> Signal<Value> {
    Signal(attaching: { downstream in
      let funnel = Funnel(Retry(self, scheduler, delay), downstream)
      funnel.attach(Retry<Value>.source, to: self) { .source($0) }
      return funnel.sources
    })
  }
}

/// Performs what a `RetryMachine` says.
struct Retry<Value: Sendable>: FunnelLogic {
  enum Input: Sendable {
    case source(Event<Value>)
    case due
  }

  // Keys of the funnel.
  static var source: Int { 0 }
  private static var timer: Int { 1 }

  private let signal: Signal<Value>
  private let scheduler: any Scheduler
  private let delay: @Sendable (any Error, RetryMachine.Failure) -> Duration?
  private var machine = RetryMachine()
  private var attempts = AttemptCounter()

  init(
    _ signal: Signal<Value>, _ scheduler: any Scheduler,
    _ delay: @escaping @Sendable (any Error, RetryMachine.Failure) -> Duration?
  ) {
    self.signal = signal
    self.scheduler = scheduler
    self.delay = delay
  }

  mutating func receive(
    _ input: Input, _ downstream: Observer<Value>, _ funnel: Funnel<Self>
  ) -> End? {
    switch input {
    case .source(.next(let value)):
      machine.delivered()
      downstream.send(value)
    case .source(.progress(let update)):
      downstream.send(progress: attempts.stamp(update))
    case .source(.completed):
      return .completed
    case .source(.failed(let error)):
      funnel.stop(Self.source)
      attempts.restart()
      switch machine.retry(after: delay(error, machine.failed())) {
      case .giveUp: return .failed(error)
      case .start: start(funnel)
      case .wait(let time): funnel.schedule(Self.timer, after: time, on: scheduler, startsSource: true, .due)
      }
    case .due:
      funnel.stop(Self.timer)
      if machine.due() == .start { start(funnel) }
    }
    return nil
  }

  private func start(_ funnel: Funnel<Self>) {
    funnel.start(Self.source) { [signal] in signal.attach(funnel.inlet(Self.source) { .source($0) }) }
  }
}
