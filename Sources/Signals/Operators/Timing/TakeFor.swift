extension Signal {
  /// Passes everything for `duration` from the subscription on, and then completes and disposes its source.
  ///
  /// Progress passes until then; none is made up. The completion comes on the thread of `scheduler`.
  public func take(for duration: Duration, on scheduler: any Scheduler = .background) -> Signal<Value> {
    take(until: .timer(after: duration, on: scheduler))
  }
}
