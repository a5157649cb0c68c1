extension Signal {
  /// Runs `signals` one after the other; completes with the last, and fails with the first that does.
  ///
  /// Each is subscribed when the one before it has completed; a stop that takes time is not waited for (`shared` does).
  /// Progress: the finished ones plus the share of the current one, by weight (`weighted(by:)`, else 1); it never falls
  /// within one attempt.
  public static func concat(_ signals: [Signal<Value>]) -> Signal<Value> {
    let stages = Signal<Signal<Value>>(attaching: { downstream in
      for signal in signals where !downstream.isDisposed { downstream.send(signal) }
      downstream.complete()
      return nil
    })
    let progress = FlattenProgress(stages: signals.map { $0.weight ?? 1 })
    return stages.flatMap(.concat, progress) { $0 }
  }

  /// Runs `signals` one after the other: see the form with an array.
  public static func concat(_ signals: Signal<Value>...) -> Signal<Value> { concat(signals) }

  /// Runs this signal and then `others`, one after the other: see `Signal.concat`.
  public func concat(with others: Signal<Value>...) -> Signal<Value> {
    Signal.concat([self] + others)
  }
}
