extension Signal {
  /// Waits for the first value, and ends the subscription.
  ///
  /// It waits for at most `timeout` by the scheduler's clock, or for ever; progress doesn't extend it.
  ///
  /// - Throws: the error of the signal; `SignalError.completedWithoutValue`; `SignalError.timedOut(after:)`;
  ///   `CancellationError` when the task is cancelled.
  public func first(
    timeout: Duration? = nil, on scheduler: any Scheduler = .background,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Value {
    let outcome = Outcome<Value>()
    let link = Subscription()
    var timer: (any Disposable)?
    defer {
      link.dispose()
      timer?.dispose()
    }
    return try await withTaskCancellationHandler {
      try Task.checkCancellation()
      if let timeout {
        timer = scheduler.schedule(after: timeout) {
          outcome.settle(.failure(SignalError.timedOut(after: timeout)))
        }
      }
      if !outcome.isSettled { link.attach(attach(FirstObserver(outcome, link))) }
      return try await outcome.wait(isolation: isolation)
    } onCancel: {
      // Only this: the runtime holds a lock, and to dispose calls what is the user's.
      outcome.settle(.failure(CancellationError()))
    }
  }
}

/// What one task waits for; the first who settles it decides.
private final class Outcome<Value: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Value, any Error>)
    case settled(Result<Value, any Error>)
  }

  private let state = Lock(State.open)

  var isSettled: Bool {
    state.withLock { if case .settled = $0 { true } else { false } }
  }

  func settle(_ result: Result<Value, any Error>) {
    let waiter = state.withLock { state -> CheckedContinuation<Value, any Error>? in
      switch state {
      case .open:
        state = .settled(result)
        return nil
      case .awaited(let waiter):
        state = .settled(result)
        return waiter
      case .settled:
        return nil
      }
    }
    waiter?.resume(with: result)
  }

  func wait(isolation: isolated (any Actor)?) async throws -> Value {
    try await withCheckedThrowingContinuation(isolation: isolation) { waiter in
      let result = state.withLock { state -> Result<Value, any Error>? in
        if case .settled(let result) = state { return result }
        state = .awaited(waiter)
        return nil
      }
      if let result { waiter.resume(with: result) }
    }
  }
}

private final class FirstObserver<Value: Sendable>: Observer<Value>, @unchecked Sendable {
  // Sound: immutable; the outcome guards itself.
  private let outcome: Outcome<Value>
  private let link: Subscription

  init(_ outcome: Outcome<Value>, _ link: Subscription) {
    self.outcome = outcome
    self.link = link
  }

  override func send(_ value: Value) { settle(.success(value)) }
  override func fail(_ error: any Error) { settle(.failure(error)) }
  override func complete() { settle(.failure(SignalError.completedWithoutValue)) }

  // The task may be inside the start of a source that sends without an end: it learns here that time is up.
  override var isDisposed: Bool { link.isDisposed || outcome.isSettled }

  /// Ends the source first: an endless one must not go on until the task runs.
  private func settle(_ result: Result<Value, any Error>) {
    if link.end() { outcome.settle(result) }
  }
}
