import Dispatch
import Signals

/// One subscription behind a mailbox: takes in what the source sends, and delivers it on the mailbox's scheduler.
///
/// The source, by its inlet, and the scheduled work hold it; the subscriber does not.
final class MailboxRun<Value: Sendable>: Sendable {
  private struct State {
    var queue: MailboxQueue<Value>
    /// `nil` once disposed, or once the terminal is out.
    var downstream: Observer<Value>?
    /// Whether a delivery is scheduled or under way.
    var isScheduled = false
    /// What the sender waits at for room: a source sends one event at a time, so there is one at most.
    var gate: DispatchSemaphore?

    /// `true`: a delivery has to be scheduled.
    mutating func beginDelivery() -> Bool {
      defer { isScheduled = true }
      return !isScheduled
    }
  }

  private enum Step {
    /// Nothing more to do.
    case done
    case deliver
    /// Try again after this.
    case wait(DispatchSemaphore)
  }

  private let mailbox: Mailbox
  private let topic: (@Sendable (Value) -> String)?
  private let state: Lock<State>

  init(_ mailbox: Mailbox, _ topic: (@Sendable (Value) -> String)?, _ downstream: Observer<Value>) {
    self.mailbox = mailbox
    self.topic = topic
    let queue = MailboxQueue<Value>(mailbox.policy, capacity: mailbox.capacity)
    state = Lock(State(queue: queue, downstream: downstream))
  }

  var isDisposed: Bool { state.withLock { $0.downstream }?.isDisposed ?? true }

  // MARK: In

  func receive(_ value: Value) {
    let topic = topic.map { TopicKey($0(value)) }
    while true {
      let (step, gone) = state.withLock { take(value, topic, &$0) }
      // A value of the user's is let go of outside of the lock.
      _ = consume gone
      switch step {
      case .done: return
      case .deliver: return scheduleDelivery()
      case .wait(let gate): gate.wait()
      }
    }
  }

  private func take(_ value: Value, _ topic: TopicKey?, _ state: inout State) -> (Step, Value?) {
    guard state.downstream != nil, !state.queue.hasEnded else { return (.done, nil) }
    let gone: Value?
    switch state.queue.append(value, topic: topic, isUrgent: isOnScheduler(state.queue)) {
    case .full:
      let gate = DispatchSemaphore(value: 0)
      state.gate = gate
      return (.wait(gate), nil)
    case .taken:
      mailbox.count(MailboxCounters(received: 1, waiting: 1))
      gone = nil
    case .dropped(let value):
      mailbox.count(MailboxCounters(received: 1, dropped: 1))
      gone = value
    case .superseded(let value):
      mailbox.count(MailboxCounters(received: 1, superseded: 1))
      gone = value
    }
    return (state.beginDelivery() ? .deliver : .done, gone)
  }

  /// The one who would make room must not wait for it.
  private func isOnScheduler(_ queue: MailboxQueue<Value>) -> Bool {
    guard mailbox.policy == .wait, queue.count >= mailbox.capacity, let current = Schedulers.current else {
      return false
    }
    return (current as AnyObject) === (mailbox.scheduler as AnyObject)
  }

  func receive(progress update: ProgressUpdate) {
    add { $0.append(progress: update) }
  }

  func receive(end: Event<Value>) {
    add { $0.append(end: end) }
  }

  private func add(_ append: (inout MailboxQueue<Value>) -> Void) {
    let isFirst = state.withLock { state in
      guard state.downstream != nil, !state.queue.hasEnded else { return false }
      append(&state.queue)
      return state.beginDelivery()
    }
    if isFirst { scheduleDelivery() }
  }

  // MARK: Out

  private func scheduleDelivery() {
    mailbox.scheduler.schedule { [self] in deliver() }
  }

  private func deliver() {
    // Not for ever: the scheduler may have other work.
    for _ in 0..<256 {
      guard let (event, downstream) = next() else { return }
      downstream.send(event: event)
    }
    scheduleDelivery()
  }

  private func next() -> (Event<Value>, Observer<Value>)? {
    let (next, gate) = state.withLock { state -> ((Event<Value>, Observer<Value>)?, DispatchSemaphore?) in
      guard let downstream = state.downstream, let event = state.queue.take() else {
        state.isScheduled = false
        return (nil, nil)
      }
      if event.isTerminal { state.downstream = nil }
      if case .next = event { mailbox.count(MailboxCounters(delivered: 1, waiting: -1)) }
      return ((event, downstream), state.gate.take())
    }
    gate?.signal()
    return next
  }

  /// Lets go of what waits, and of a sender that does.
  func close() {
    let left = state.withLock { state in
      let left = state
      mailbox.count(MailboxCounters(dropped: left.queue.count, waiting: -left.queue.count))
      state.queue = MailboxQueue(mailbox.policy, capacity: mailbox.capacity)
      state.downstream = nil
      state.gate = nil
      return left
    }
    left.gate?.signal()
  }
}

/// What the source sends into.
final class MailboxInlet<Value: Sendable>: Observer<Value>, @unchecked Sendable {
  // Sound: immutable; the run guards itself.
  private let run: MailboxRun<Value>

  init(_ run: MailboxRun<Value>) { self.run = run }

  override func send(_ value: Value) { run.receive(value) }
  override func send(progress: ProgressUpdate) { run.receive(progress: progress) }
  override func fail(_ error: any Error) { run.receive(end: .failed(error)) }
  override func complete() { run.receive(end: .completed) }
  override var isDisposed: Bool { run.isDisposed }
}
