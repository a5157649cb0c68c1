extension Signal {
  /// Sends arrays of the first values of all `signals`, then of the second ones, and so on.
  ///
  /// Completes when one has completed and its values are used up; fails with the first that fails. Of no signals it
  /// completes at once. Values that wait for their partners are kept without a bound: a source that runs ahead for
  /// ever takes memory for ever.
  ///
  /// The signals are subscribed in order, and those that still run at the end are disposed. Progress is that of all
  /// signals as one, weighted, and never falls inside one attempt.
  public static func zip(_ signals: [Signal<Value>]) -> Signal<[Value]> {
    joined(signals) { Rows(ZipMachine(count: signals.count), $0) }
  }

  /// Sends tuples of the first values of the signals, then of the second ones, and so on: the same for signals of
  /// different types.
  public static func zip<First, Second, each Other>(
    _ first: Signal<First>, _ second: Signal<Second>, _ others: repeat Signal<each Other>
  ) -> Signal where Value == (First, Second, repeat each Other) {
    first.zip(with: second, repeat each others)
  }

  /// Sends tuples of the n-th values of this signal and of `others`.
  public func zip<each Other>(
    with others: repeat Signal<each Other>
  ) -> Signal<(Value, repeat each Other)> {
    Signal<any Sendable>.zip(erased(with: repeat each others)).map { typed($0) }
  }
}
