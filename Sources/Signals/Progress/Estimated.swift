extension Signal {
  /// Fills in the speed and the time left, from how the progress advances.
  ///
  /// - Parameter scheduler: whose clock it reads; nothing is scheduled.
  ///
  /// What the source has given stays: a worker knows best. `rate` is filled in where `done` is known, `remaining` where
  /// it can be told how much is left. There is none before the second update and the first second, none of more than
  /// 99 days, and none while the work stalls. Both are estimated anew with each progress, also one that repeats the
  /// numbers of the last. Values and terminals pass unchanged.
  public func estimated(on scheduler: any Scheduler = .background) -> Signal<Value> {
    mapProgress(into: RateEstimator()) { estimator, update in
      let estimate = estimator.update(update, at: scheduler.now)
      var update = update
      update.rate = update.rate ?? estimate.rate
      update.remaining = update.remaining ?? estimate.remaining
      return update
    }
  }
}
