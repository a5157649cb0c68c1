extension Signal {
  /// Passes everything until `trigger` sends a value or completes, and then completes.
  ///
  /// The trigger's progress is ignored; its failure fails the signal.
  public func take<Trigger>(until trigger: Signal<Trigger>) -> Signal<Value> {
    Signal(attaching: { downstream in
      let funnel = Funnel(TakeUntil<Value>(), downstream)
      // The trigger first: a source that is triggered already is not started.
      funnel.attach(TakeUntil<Value>.trigger, to: trigger.asTrigger) { .trigger($0) }
      funnel.attach(TakeUntil<Value>.source, to: self) { .source($0) }
      return funnel.sources
    })
  }
}

struct TakeUntil<Value: Sendable>: FunnelLogic {
  enum Input {
    case source(Event<Value>)
    case trigger(Event<Void>)
  }

  static var trigger: Int { 0 }
  static var source: Int { 1 }

  func receive(
    _ input: Input, _ downstream: Observer<Value>, _ funnel: Funnel<Self>
  ) -> End? {
    switch input {
    case .source(.next(let value)): downstream.send(value)
    case .source(.progress(let update)): downstream.send(progress: update)
    case .trigger(.progress): break
    case .source(.failed(let error)), .trigger(.failed(let error)): return .failed(error)
    case .source(.completed), .trigger(.next), .trigger(.completed): return .completed
    }
    return nil
  }
}
