extension Signal {
  /// Sends at most one value each `period`.
  ///
  /// - Parameters:
  ///   - period: the time between two values at least; above zero.
  ///   - leading: whether a value that comes when none was sent for a period goes out at once. Else it waits for the
  ///     end of the period that it begins.
  ///   - trailing: whether the last value of a period goes out at its end, and begins the next. Else all but the
  ///     first are dropped.
  ///   - scheduler: whose time it is. Values come on its thread or on the source's: follow it by `observe(on:)` where
  ///     that matters.
  ///
  /// Progress is limited by itself, whatever `leading` and `trailing` say: the first update goes out at once, then the
  /// latest each period. A completion first sends the value that waits, if `trailing`, and then the progress; a failure
  /// drops the value and sends the progress.
  public func throttle(
    _ period: Duration, leading: Bool = true, trailing: Bool = true, on scheduler: any Scheduler = .background
  ) -> Signal<Value> {
    precondition(period > .zero, "throttle(_:) takes a period above zero, not \(period)")
    precondition(
      leading || trailing, "throttle(_:leading:trailing:) without both would send nothing: leave one true")
    return rateLimited {
      RateLimit(
        .throttle(leading: leading, trailing: trailing), progress: .throttle(leading: true, trailing: true),
        period, on: scheduler)
    }
  }
}
