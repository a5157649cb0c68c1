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
