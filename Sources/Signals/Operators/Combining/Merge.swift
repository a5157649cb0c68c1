extension Signal {
  /// Sends the values of all `signals` as they come; completes when all have, and fails with the first that does.
  ///
  /// They are subscribed in order. The end disposes those that still run, and those that were not subscribed yet never
  /// are. Of no signals it completes at once.
  ///
  /// Progress is that of all signals as one, weighted: it never falls inside one attempt, and each retry of a signal
  /// is a new attempt. A signal takes part from its first progress on, or from the beginning if it is `weighted(by:)`; it
  /// counts in full once it has completed.
  public static func merge(_ signals: [Signal<Value>]) -> Signal<Value> {
    joined(signals) { Merge(running: signals.count, $0) }
  }

  /// Sends the values of all `signals` as they come: see the form with an array.
  public static func merge(_ signals: Signal<Value>...) -> Signal<Value> { merge(signals) }

  /// Sends the values of this signal and of `others` as they come.
  public func merge(with others: Signal<Value>...) -> Signal<Value> {
    Signal.merge([self] + others)
  }
}

struct Merge<Value: Sendable>: FunnelLogic {
  private var running: Int
  private var aggregate: ProgressAggregate

  init(running: Int, _ aggregate: ProgressAggregate) {
    self.running = running
    self.aggregate = aggregate
  }

  mutating func receive(
    _ input: SourceEvent<Value>, _ downstream: Observer<Value>, _ funnel: Funnel<Self>
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

  static func conflationKey(of input: SourceEvent<Value>) -> Int? {
    input.conflationKey
  }
}
