extension Signal {
  /// Sends a value once no other has followed it for `period`, which is above zero.
  ///
  /// Progress neither sends nor holds up a value. It is limited by itself, as by `throttle`: the first update goes out at
  /// once, then the latest each period. A completion first sends the value that waits, and then the progress; a failure
  /// drops the value and sends the progress. Values come on the thread of `scheduler` or on the source's: follow it by
  /// `observe(on:)` where that matters.
  public func debounce(_ period: Duration, on scheduler: any Scheduler = .background) -> Signal<Value> {
    precondition(period > .zero, "debounce(_:) takes a period above zero, not \(period)")
    return rateLimited {
      RateLimit(.debounce, progress: .throttle(leading: true, trailing: true), period, on: scheduler)
    }
  }
}
