internal import Synchronization

/// What waits for a scheduler, and its delivery there.
///
/// The source, by its inlet, and the scheduled work hold it; the subscriber does not.
final class Relay<Value: Sendable>: Sendable {
  private struct State {
    /// `nil` once disposed, or once the terminal is out.
    var downstream: Observer<Value>?
    var queue = ConflatingQueue<Value>()
    /// The storage of the batch before, for the next.
    var spare = Ring<Event<Value>>()
    /// Whether a delivery is scheduled or under way.
    var isScheduled = false
    /// The number of the newest.
    var delivery: UInt64 = 0
    var scheduled: (any Disposable)?
  }

  private let scheduler: any Scheduler
  private let state: Lock<State>
  /// For the delivery, which asks at each event.
  private let isClosed = Atomic(false)

  init(_ downstream: Observer<Value>, _ scheduler: any Scheduler) {
    self.scheduler = scheduler
    state = Lock(State(downstream: downstream))
  }

  var isDisposed: Bool { state.withLock { $0.downstream }?.isDisposed ?? true }

  func receive(_ event: Event<Value>) {
    let delivery = state.withLock { state -> UInt64? in
      guard state.downstream != nil, state.queue.append(event), !state.isScheduled else { return nil }
      state.isScheduled = true
      state.delivery += 1
      return state.delivery
    }
    if let delivery { schedule(delivery) }
  }

  private func schedule(_ delivery: UInt64) {
    let scheduled = scheduler.schedule { [self] in deliver() }
    let (isLate, old) = state.withLock { state -> (Bool, (any Disposable)?) in
      guard state.downstream != nil else { return (true, nil) }
      // The work may have run already, and a later one may be under way.
      guard state.delivery == delivery else { return (false, nil) }
      let old = state.scheduled
      state.scheduled = scheduled
      return (false, old)
    }
    if isLate { scheduled.dispose() }
    // Released here, outside of the lock.
    _ = consume old
  }

  private func deliver() {
    // All at once: the sender and the scheduler meet at the lock once a batch.
    var (batch, downstream) = state.withLock { state in
      var batch = Ring<Event<Value>>()
      swap(&batch, &state.spare)
      state.queue.takeAll(into: &batch)
      return (batch, state.downstream)
    }
    while !isClosed.load(ordering: .acquiring), let event = batch.popFirst() {
      if event.isTerminal { forgetDownstream() }
      downstream?.send(event: event)
    }
    downstream = nil
    batch.trim()
    let delivery = state.withLock { state -> UInt64? in
      if batch.isEmpty { state.spare = batch }
      state.isScheduled = state.downstream != nil && !state.queue.isEmpty
      guard state.isScheduled else { return nil }
      state.delivery += 1
      return state.delivery
    }
    if let delivery { schedule(delivery) }
  }

  private func forgetDownstream() {
    let downstream = state.withLock { $0.downstream.take() }
    _ = consume downstream
  }

  func close() {
    isClosed.store(true, ordering: .releasing)
    let left = state.withLock { state in
      let left = state
      state.downstream = nil
      state.queue = ConflatingQueue()
      state.spare = Ring()
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
