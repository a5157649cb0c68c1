import Signals

/// Values from one signal and progress from another, as one signal; it ends as the first of them does.
struct ProgressMerge<Value: Sendable>: FunnelLogic {
  enum Input: Sendable {
    case value(Value)
    case progress(ProgressUpdate)
    case ended(End)

    init(_ event: Event<Value>) {
      switch event {
      case .next(let value): self = .value(value)
      case .progress(let update): self = .progress(update)
      case .failed(let error): self = .ended(.failed(error))
      case .completed: self = .ended(.completed)
      }
    }

    init(updates event: Event<ProgressUpdate>) {
      switch event {
      case .next(let update), .progress(let update): self = .progress(update)
      case .failed(let error): self = .ended(.failed(error))
      case .completed: self = .ended(.completed)
      }
    }
  }

  static func signal(_ values: Signal<Value>, _ updates: Signal<ProgressUpdate>) -> Signal<Value> {
    .attaching { downstream in
      let funnel = Funnel(ProgressMerge(), downstream)
      funnel.attach(0, to: values) { Input($0) }
      funnel.attach(1, to: updates) { Input(updates: $0) }
      return funnel.sources
    }
  }

  mutating func receive(
    _ input: Input, _ downstream: Observer<Value>, _ funnel: Funnel<Self>
  ) -> End? {
    switch input {
    case .value(let value): downstream.send(value)
    case .progress(let update): downstream.send(progress: update)
    case .ended(let end): return end
    }
    return nil
  }

  static func conflationKey(of input: Input) -> Int? {
    if case .progress = input { 0 } else { nil }
  }
}
