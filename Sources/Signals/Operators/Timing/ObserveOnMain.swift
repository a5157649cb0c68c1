extension Signal {
  /// Attaches handlers that run on the main actor; those that are left out ignore their events.
  ///
  /// All events hop to the main queue, in order, as with `observe(on: .main)`: progress that waits there is replaced
  /// by newer progress. After a `dispose()` on the main actor no handler runs any more. The source starts on the
  /// thread that subscribes: see `subscribe(on:)` for another one.
  ///
  /// ```swift
  /// subscription = temperature.observeOnMain { label.text = "\($0) °C" }
  /// ```
  @discardableResult
  public func observeOnMain(
    _ next: (@MainActor @Sendable (Value) -> Void)? = nil,
    progress: (@MainActor @Sendable (ProgressUpdate) -> Void)? = nil,
    failed: (@MainActor @Sendable (any Error) -> Void)? = nil,
    completed: (@MainActor @Sendable () -> Void)? = nil
  ) -> Subscription {
    observe(on: .main).subscribe(
      onMain(next), progress: onMain(progress), failed: onMain(failed), completed: onMain(completed))
  }
}

/// A handler for the main actor, as one that is called on its thread and says so to the compiler.
private func onMain<Input: Sendable>(
  _ handler: (@MainActor @Sendable (Input) -> Void)?
) -> (@Sendable (Input) -> Void)? {
  guard let handler else { return nil }
  return { input in MainActor.assumeIsolated { handler(input) } }
}

private func onMain(_ handler: (@MainActor @Sendable () -> Void)?) -> (@Sendable () -> Void)? {
  guard let handler else { return nil }
  return { MainActor.assumeIsolated { handler() } }
}
