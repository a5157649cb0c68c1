extension Signal {
  /// Sends the values of all `signals` as they come; completes when all have, and fails with the first that does.
  ///
  /// Progress is aggregated by weight over the signals that take part: see `ProgressAggregate`.
  public static func merge(_ signals: [Signal<Value>]) -> Signal<Value> {
    Signal(attaching: { downstream in
      guard !signals.isEmpty else {
        downstream.complete()
        return nil
      }
      let funnel = Funnel(Merge<Value>(running: signals.count), downstream)
      for (index, signal) in signals.enumerated() {
        funnel.attach(index) { signal.attach(funnel.inlet(index) { Merge.Input(source: index, event: $0) }) }
      }
      return funnel.sources
    })
  }

  /// Sends the values of this signal and of `others` as they come.
  public func merge(with others: Signal<Value>...) -> Signal<Value> {
    Signal.merge([self] + others)
  }
}

struct Merge<Value: Sendable>: FunnelLogic {
  struct Input {
    let source: Int
    let event: Event<Value>
  }

  var running: Int
  private var aggregate = ProgressAggregate()

  init(running: Int) { self.running = running }

  mutating func receive(
    _ input: Input, _ downstream: Observer<Value>, _ funnel: Funnel<Self>
  ) -> End? {
    switch input.event {
    case .next(let value):
      downstream.send(value)
    case .progress(let update):
      downstream.send(progress: aggregate.update(input.source, update))
    case .failed(let error):
      return .failed(error)
    case .completed:
      running -= 1
      funnel.stop(input.source)
      if let update = aggregate.complete(input.source) { downstream.send(progress: update) }
      if running == 0 { return .completed }
    }
    return nil
  }
}
