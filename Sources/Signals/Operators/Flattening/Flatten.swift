/// Performs what a `FlattenMachine` says.
struct Flatten<Value: Sendable, Output: Sendable>: FunnelLogic {
  enum Input: Sendable {
    case outer(Event<Value>)
    case inner(Int, Event<Output>)
    /// Inner signal `id` says its weight before it starts.
    case weight(Int, Double)
  }

  /// The key of the outer signal; the inner ones follow.
  static var outer: Int { 0 }

  private let transform: @Sendable (Value) -> Signal<Output>
  private var machine: FlattenMachine
  private var progress: FlattenProgress
  private var waiting = Ring<Value>()

  init(
    _ strategy: FlattenStrategy, _ progress: FlattenProgress,
    _ transform: @escaping @Sendable (Value) -> Signal<Output>
  ) {
    machine = FlattenMachine(strategy)
    self.progress = progress
    self.transform = transform
  }

  mutating func receive(
    _ input: Input, _ downstream: Observer<Output>, _ funnel: Funnel<Self>
  ) -> End? {
    switch input {
    case .outer(.next(let value)):
      accept(value, funnel)
    case .outer(.progress(let update)):
      let update = progress.outer(update, isAlone: machine.running == 0)
      if let update { downstream.send(progress: update) }
    case .outer(.failed(let error)):
      return .failed(error)
    case .outer(.completed):
      funnel.stop(Self.outer)
      if let update = progress.outerCompleted() { downstream.send(progress: update) }
      if machine.outerCompleted() == .complete { return .completed }
    case .inner(let id, let event) where machine.accepts(id):
      return receive(id, event, downstream, funnel)
    case .weight(let id, let weight) where machine.accepts(id):
      progress.starts(id, weight: weight)
    case .inner, .weight:
      break
    }
    return nil
  }

  private mutating func receive(
    _ id: Int, _ event: Event<Output>, _ downstream: Observer<Output>, _ funnel: Funnel<Self>
  ) -> End? {
    switch event {
    case .next(let value):
      downstream.send(value)
    case .progress(let update):
      downstream.send(progress: progress.inner(id, update))
    case .failed(let error):
      return .failed(error)
    case .completed:
      funnel.stop(id)
      if let update = progress.innerCompleted(id) { downstream.send(progress: update) }
      switch machine.completed(id) {
      case .startWaiting(let id): if let value = waiting.popFirst() { start(id, value, funnel) }
      case .complete: return .completed
      case nil: break
      }
    }
    return nil
  }

  private mutating func accept(_ value: Value, _ funnel: Funnel<Self>) {
    let acceptance = machine.next()
    if acceptance != .drop { progress.arrived() }
    switch acceptance {
    case .start(let id):
      start(id, value, funnel)
    case .replace(let old, let id):
      funnel.stop(old)
      start(id, value, funnel)
    case .wait:
      waiting.append(value)
    case .drop:
      break
    }
  }

  private func start(_ id: Int, _ value: Value, _ funnel: Funnel<Self>) {
    funnel.start(id) { [transform] in
      let inner = transform(value)
      if let weight = inner.weight { funnel.receive(.weight(id, weight)) }
      return inner.attach(funnel.inlet(id) { .inner(id, $0) })
    }
  }

  static func conflationKey(of input: Input) -> Int? {
    switch input {
    case .outer(.progress): outer
    case .inner(let id, .progress): id
    default: nil
    }
  }
}
