extension Signal {
  /// Sends the latest value when `trigger` sends one, if a value has come since the last time.
  ///
  /// Progress too: the latest update that was not sent yet goes out with the sample, in its place before or after the
  /// value, and before the terminal. The trigger's own progress is ignored. It ends with the first of the two that
  /// ends, by its terminal; a value that was not sampled by then is dropped. Events come on the thread that sends the
  /// trigger, the terminal also on the source's.
  public func sample<Trigger>(on trigger: Signal<Trigger>) -> Signal<Value> {
    Signal(attaching: { downstream in
      let funnel = Funnel(SampleOnTrigger<Value>(), downstream)
      // The source first: its replay is there for a trigger that fires at once.
      funnel.attach(SampleOnTrigger<Value>.source, to: self) { .source($0) }
      funnel.attach(SampleOnTrigger<Value>.trigger, to: trigger.asTrigger) { .trigger($0) }
      return funnel.sources
    })
  }
}

struct SampleOnTrigger<Value: Sendable>: FunnelLogic {
  enum Input {
    case source(Event<Value>)
    case trigger(Event<Void>)
  }

  static var source: Int { 0 }
  static var trigger: Int { 1 }

  private var value: Value?
  private var progress: ProgressUpdate?
  private var isProgressNewer = false

  mutating func receive(
    _ input: Input, _ downstream: Observer<Value>, _ funnel: Funnel<Self>
  ) -> End? {
    switch input {
    case .source(.next(let value)):
      self.value = value
      isProgressNewer = false
    case .source(.progress(let update)):
      progress = update
      isProgressNewer = true
    case .trigger(.next):
      if !isProgressNewer { sendProgress(downstream) }
      if let value = value.take() { downstream.send(value) }
      sendProgress(downstream)
    case .trigger(.progress):
      break
    case .source(.failed(let error)), .trigger(.failed(let error)):
      sendProgress(downstream)
      return .failed(error)
    case .source(.completed), .trigger(.completed):
      sendProgress(downstream)
      return .completed
    }
    return nil
  }

  private mutating func sendProgress(_ downstream: Observer<Value>) {
    if let update = progress.take() { downstream.send(progress: update) }
  }

  static func conflationKey(of input: Input) -> Int? {
    if case .source(.progress) = input { 0 } else { nil }
  }
}
