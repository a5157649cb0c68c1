/// Makes an emitter safe to use from any thread: one order, nothing after a terminal.
struct Serializer<Value: Sendable>: FunnelLogic {
  mutating func receive(
    _ event: Event<Value>, _ downstream: Observer<Value>, _ funnel: Funnel<Self>
  ) -> End? {
    switch event {
    case .next(let value): downstream.send(value)
    case .progress(let update): downstream.send(progress: update)
    case .failed(let error): return .failed(error)
    case .completed: return .completed
    }
    return nil
  }

  static func replaces(_ waiting: Event<Value>, by event: Event<Value>) -> Bool {
    if case (.progress, .progress) = (waiting, event) { true } else { false }
  }
}
