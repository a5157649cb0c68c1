extension Signal {
  /// Sends each value together with the latest value of `other`.
  ///
  /// Values that come before `other` has sent one are dropped. `other` is subscribed first; when it completes, its last
  /// value stays, and when it fails, the signal fails. Completion and progress are those of this signal alone.
  ///
  /// ```swift
  /// taps.withLatest(from: settings).map { tap, settings in … }
  /// ```
  public func withLatest<Other>(from other: Signal<Other>) -> Signal<(Value, Other)> {
    Signal<(Value, Other)>(attaching: { downstream in
      let funnel = Funnel(WithLatest<Value, Other>(), downstream)
      funnel.attach(WithLatest<Value, Other>.other, to: other) { .other($0) }
      funnel.attach(WithLatest<Value, Other>.primary, to: self) { .primary($0) }
      return funnel.sources
    })
  }
}

private struct WithLatest<Value: Sendable, Other: Sendable>: FunnelLogic {
  enum Input {
    case primary(Event<Value>)
    case other(Event<Other>)
  }

  static var primary: Int { 0 }
  static var other: Int { 1 }

  var latest: Other?

  mutating func receive(
    _ input: Input, _ downstream: Observer<(Value, Other)>, _ funnel: Funnel<Self>
  ) -> End? {
    switch input {
    case .primary(.next(let value)): if let latest { downstream.send((value, latest)) }
    case .primary(.progress(let update)): downstream.send(progress: update)
    case .other(.next(let value)): latest = value
    case .other(.progress): break
    case .other(.completed): funnel.stop(Self.other)
    case .primary(.failed(let error)), .other(.failed(let error)): return .failed(error)
    case .primary(.completed): return .completed
    }
    return nil
  }

  static func conflationKey(of input: Input) -> Int? {
    switch input {
    case .primary(.progress): primary
    // Only the latest counts.
    case .other(.next): other
    default: nil
    }
  }
}
