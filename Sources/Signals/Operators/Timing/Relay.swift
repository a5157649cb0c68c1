/// What waits for a scheduler, and its delivery there.
///
/// The source, by its inlet, and the scheduled work hold it; the subscriber does not.
final class Relay<Value: Sendable>: Sendable {
  private struct State {
    /// `nil` once disposed, or once the terminal is out.
    var downstream: Observer<Value>?
    var queue = ConflatingQueue<Value>()
    /// Whether a delivery is scheduled or under way, and which.
    var isScheduled = false
    var turn: UInt64 = 0
    var scheduled: (any Disposable)?
  }

  private let scheduler: any Scheduler
  private let state: Lock<State>

  init(_ downstream: Observer<Value>, _ scheduler: any Scheduler) {
    self.scheduler = scheduler
    state = Lock(State(downstream: downstream))
  }

  var isDisposed: Bool { state.withLock { $0.downstream }?.isDisposed ?? true }

  func receive(_ event: Event<Value>) {
    let turn = state.withLock { state -> UInt64? in
      guard state.downstream != nil, state.queue.append(event), !state.isScheduled else { return nil }
      state.isScheduled = true
      state.turn += 1
      return state.turn
    }
    if let turn { schedule(turn) }
  }

  private func schedule(_ turn: UInt64) {
    let scheduled = scheduler.schedule { [self] in deliver() }
    let unneeded = state.withLock { state -> (any Disposable)? in
      guard state.downstream != nil else { return scheduled }
      // The work may have run already, and a later one may be under way.
      if state.turn == turn { state.scheduled = scheduled }
      return nil
    }
    unneeded?.dispose()
  }

  private func deliver() {
    for _ in 0..<state.withLock({ $0.queue.count }) {
      let (event, downstream) = state.withLock { state -> (Event<Value>?, Observer<Value>?) in
        guard let event = state.queue.popFirst() else { return (nil, nil) }
        return (event, event.isTerminal ? state.downstream.take() : state.downstream)
      }
      guard let event, let downstream else { break }
      downstream.send(event: event)
    }
    let turn = state.withLock { state -> UInt64? in
      state.isScheduled = state.downstream != nil && !state.queue.isEmpty
      guard state.isScheduled else { return nil }
      state.turn += 1
      return state.turn
    }
    if let turn { schedule(turn) }
  }

  func close() {
    let left = state.withLock { state in
      let left = state
      state.downstream = nil
      state.queue = ConflatingQueue()
      state.scheduled = nil
      return left
    }
    left.scheduled?.dispose()
  }
}

final class RelayInlet<Value: Sendable>: Observer<Value>, @unchecked Sendable {
  // Sound: immutable; the relay guards itself.
  private let relay: Relay<Value>

  init(_ relay: Relay<Value>) { self.relay = relay }

  override func send(_ value: Value) { relay.receive(.next(value)) }
  override func send(progress: ProgressUpdate) { relay.receive(.progress(progress)) }
  override func fail(_ error: any Error) { relay.receive(.failed(error)) }
  override func complete() { relay.receive(.completed) }
  override var isDisposed: Bool { relay.isDisposed }
}
