extension Signal {
  /// Drops values until `trigger` sends one; from then on all pass.
  ///
  /// The trigger is subscribed first, and ended by its first value. A trigger that completes without a value never
  /// lets a value pass; its failure fails the signal; its progress is ignored. The source's progress passes from
  /// the beginning, and so do its terminals.
  public func skip<Trigger>(until trigger: Signal<Trigger>) -> Signal<Value> {
    Signal(attaching: { downstream in
      let funnel = Funnel(SkipUntil<Value>(), downstream)
      // `take(1)`: of a trigger nothing counts after its first value, not even a failure.
      funnel.attach(SkipUntil<Value>.trigger, to: trigger.asTrigger.take(1)) { .trigger($0) }
      funnel.attach(SkipUntil<Value>.source, to: self) { .source($0) }
      return funnel.sources
    })
  }
}

struct SkipUntil<Value: Sendable>: FunnelLogic {
  enum Input {
    case source(Event<Value>)
    case trigger(Event<Void>)
  }

  static var trigger: Int { 0 }
  static var source: Int { 1 }

  private var isOpen = false

  mutating func receive(
    _ input: Input, _ downstream: Observer<Value>, _ funnel: Funnel<Self>
  ) -> End? {
    switch input {
    case .source(.next(let value)): if isOpen { downstream.send(value) }
    case .source(.progress(let update)): downstream.send(progress: update)
    case .trigger(.next): isOpen = true
    case .trigger(.progress): break
    case .trigger(.completed): funnel.stop(Self.trigger)
    case .source(.failed(let error)), .trigger(.failed(let error)): return .failed(error)
    case .source(.completed): return .completed
    }
    return nil
  }
}
