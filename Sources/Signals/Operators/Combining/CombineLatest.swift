extension Signal {
  /// Sends arrays of the latest values of all `signals`, whenever one of them sends a value, once all have sent one.
  ///
  /// Completes when all have, or as soon as one completes without a value; fails with the first that fails. Of no
  /// signals it completes at once.
  ///
  /// The signals are subscribed in order, and those that still run at the end are disposed: of one that sends several
  /// values while it is subscribed, the ones that follow it see the last. Progress is that of all signals as one,
  /// weighted, and never falls inside one attempt.
  public static func combineLatest(_ signals: [Signal<Value>]) -> Signal<[Value]> {
    joined(signals) { Rows(CombineLatestMachine(count: signals.count), $0) }
  }

  /// Sends tuples of the latest values of the signals, whenever one of them sends a value, once all have sent one: the
  /// same for signals of different types.
  public static func combineLatest<First, Second, each Other>(
    _ first: Signal<First>, _ second: Signal<Second>, _ others: repeat Signal<each Other>
  ) -> Signal where Value == (First, Second, repeat each Other) {
    first.combineLatest(with: second, repeat each others)
  }

  /// Sends tuples of the latest values of this signal and of `others`.
  public func combineLatest<each Other>(
    with others: repeat Signal<each Other>
  ) -> Signal<(Value, repeat each Other)> {
    Signal<any Sendable>.combineLatest(erased(with: repeat each others)).map { typed($0) }
  }
}
