extension Signal {
  /// Runs `signals` one after the other; completes with the last, and fails with the first that does.
  ///
  /// Each is subscribed when the one before it has completed. Progress: the finished ones plus the share of the
  /// current one, each by its weight (1 until it says otherwise); it never falls within one attempt.
  public static func concat(_ signals: [Signal<Value>]) -> Signal<Value> {
    let stages = Signal<Signal<Value>>(attaching: { downstream in
      for signal in signals where !downstream.isDisposed { downstream.send(signal) }
      downstream.complete()
      return nil
    })
    return stages.flatten(.concat, expected: signals.count)
  }

  /// Runs this signal and then `others`, one after the other: see `Signal.concat`.
  public func concat(with others: Signal<Value>...) -> Signal<Value> {
    Signal.concat([self] + others)
  }
}
