extension Signal {
  /// Keeps the fraction of the progress from falling: within one attempt it stays at its highest.
  ///
  /// A higher attempt begins anew; progress of an attempt that is over is dropped. An unknown fraction stays unknown,
  /// and counts (`done`, `total`) stay what they are. Values and terminals pass unchanged.
  public func monotonic() -> Signal<Value> {
    mapProgress(into: HighWaterMark()) { $0.update($1) }
  }
}

/// The highest fraction of the newest attempt.
struct HighWaterMark: Sendable {
  private var highest = 0.0
  private var attempt = 1

  /// The update with a fraction that does not fall; `nil` when it comes from an attempt that is over.
  mutating func update(_ update: ProgressUpdate) -> ProgressUpdate? {
    guard update.attempt >= attempt else { return nil }
    if update.attempt > attempt {
      attempt = update.attempt
      highest = 0
    }
    guard let fraction = update.fraction else { return update }
    highest = max(highest, fraction)
    guard fraction < highest else { return update }
    var raised = update
    raised.fraction = highest
    return raised
  }
}
