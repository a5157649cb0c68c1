extension Signal {
  /// Makes a signal of each value and sends what these inner signals send.
  ///
  /// ```swift
  /// queries.flatMap(.latest) { search($0) }
  /// files.flatMap(.concat, expected: files.count) { upload($0) }
  /// ```
  ///
  /// It completes when the outer signal and all inner ones have completed, and fails with the first that fails, which
  /// disposes the others. `transform` is called when its signal is about to start, one call at a time, on the thread
  /// that sent the value or ended the signal before it; for a value that waits, only when its turn has come. Under
  /// `.concat` and `.merge(max:)` values wait in a queue without a bound. A signal that is replaced under `.latest` is
  /// disposed before the next one starts; a stop that takes time is not waited for.
  ///
  /// Progress:
  /// - with `expected`, how many inner signals there will be, each is worth its weight of the whole, which never falls
  ///   within one attempt. One that has not said its weight yet counts as much as the mean of those that have. That
  ///   one has completed is told too. If more come than were expected, the whole grows;
  /// - else, where several run (`.merge`): the sum by weight over those that have sent progress. It never falls within
  ///   one attempt, so it can only stand still when later ones join: say what is `expected` if that matters;
  /// - else, where one runs (`.concat`, `.latest`, `.exhaust`): its own, unchanged; it starts again with each.
  ///   `.latest` and `.exhaust` always do so, whatever is expected;
  /// - the outer signal's own progress counts like that of one inner signal more; where one runs, it passes while none
  ///   runs. `ignoreProgress()` on the outer signal leaves it out.
  public func flatMap<Output>(
    _ strategy: FlattenStrategy = .merge, expected: Int? = nil,
    _ transform: @escaping @Sendable (Value) -> Signal<Output>
  ) -> Signal<Output> {
    precondition(expected ?? 0 >= 0, "flatMap(expected:) takes 0 or more, not \(expected ?? 0)")
    return flatMap(strategy, FlattenProgress(strategy, expected: expected), transform)
  }

  func flatMap<Output>(
    _ strategy: FlattenStrategy, _ progress: FlattenProgress,
    _ transform: @escaping @Sendable (Value) -> Signal<Output>
  ) -> Signal<Output> {
    Signal<Output>(attaching: { downstream in
      let funnel = Funnel(Flatten(strategy, progress, transform), downstream)
      funnel.attach(Flatten<Value, Output>.outer, to: self) { .outer($0) }
      return funnel.sources
    })
  }

  /// Sends what the signals send that this signal sends: `flatMap` with the signals as they are.
  public func flatten<Output>(
    _ strategy: FlattenStrategy = .merge, expected: Int? = nil
  ) -> Signal<Output> where Value == Signal<Output> {
    flatMap(strategy, expected: expected) { $0 }
  }
}
