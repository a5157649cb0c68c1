extension Signal {
  /// Sends the latest value at the end of each `period` in which one came; the first begins at the subscription.
  ///
  /// The same holds for progress, by itself: of what goes out together either may be first. A completion first sends
  /// what waits, the value before the progress; a failure drops the value and sends the progress. No timer runs while
  /// nothing waits. Values come on the thread of `scheduler` or on the source's: follow it by `observe(on:)` where that
  /// matters. A period that is not positive is a programming error.
  public func sample(every period: Duration, on scheduler: any Scheduler = .background) -> Signal<Value> {
    precondition(period > .zero, "sample(every:) takes a period above zero, not \(period)")
    return rateLimited {
      let start = scheduler.now
      return RateLimit(.sample(since: start), progress: .sample(since: start), period, on: scheduler)
    }
  }
}
