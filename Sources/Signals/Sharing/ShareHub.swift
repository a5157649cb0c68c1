/// The thin shell around a `ShareMachine`: performs its actions, one at a time and outside the lock.
final class ShareHub<Value: Sendable>: Sendable {
  private struct State {
    var machine: ShareMachine
    /// The runs that observers are attached to.
    var current: ShareRun<Value>?
    var next: ShareRun<Value>?
    var lingerTimer: (token: UInt64, timer: any Disposable)?
    /// Whose joining starts a run: it can't leave before the start closure has returned, only be disposed.
    var starter: (run: ShareRun<Value>, observer: Observer<Value>)?

    /// Asks the machine. The next run becomes the current one at the moment of the decision.
    mutating func decide(
      _ question: (inout ShareMachine) -> ShareMachine.Action?
    ) -> ShareMachine.Action? {
      let action = question(&machine)
      if case .start = action { current = next.take() }
      return action
    }
  }

  private let linger: Duration
  private let scheduler: any Scheduler
  private let makeRun: @Sendable (_ generation: UInt64) -> ShareRun<Value>
  private let state: Lock<State>
  private let actions = DrainQueue<ShareMachine.Action>()

  init(
    _ rules: ShareMachine.Rules, _ linger: Duration, _ scheduler: any Scheduler,
    _ makeRun: @escaping @Sendable (_ generation: UInt64) -> ShareRun<Value>
  ) {
    self.linger = linger
    self.scheduler = scheduler
    self.makeRun = makeRun
    state = Lock(State(machine: ShareMachine(rules)))
  }

  // MARK: Observers

  /// Attaches an observer to the run that is open; `nil` when it has ended by itself meanwhile.
  func join(_ observer: Observer<Value>) -> (any Disposable)? {
    let (run, isNext, action) = takeSeat()
    let seat = ShareSeat(run.generation, run.subject.core.attach(observer), self)
    if isNext { return arrive(observer, seat, run) }
    perform(action)
    return seat
  }

  private func takeSeat() -> (run: ShareRun<Value>, isNext: Bool, action: ShareMachine.Action?) {
    var spare: ShareRun<Value>?
    while true {
      let seat = state.withLock { [spare] state -> (ShareRun<Value>, Bool, ShareMachine.Action?)? in
        let generation = state.machine.openGeneration
        if let current = state.current, current.generation == generation {
          return (current, false, state.machine.join())
        }
        if state.next == nil, spare?.generation == generation { state.next = spare }
        guard let next = state.next else { return nil }
        return (next, true, state.machine.join())
      }
      if let seat { return seat }
      // Outside of the lock; another one may be quicker.
      spare = makeRun(state.withLock { $0.machine.openGeneration })
    }
  }

  /// An observer is attached to a run that has not started when it came: now it may.
  private func arrive(
    _ observer: Observer<Value>, _ seat: ShareSeat<Value>, _ run: ShareRun<Value>
  ) -> (any Disposable)? {
    if observer.isDisposed {
      // Kept values were enough: the source need not start for it.
      seat.withdraw()
      return nil
    }
    let action = state.withLock { state in
      let action = state.decide { $0.arrived(run.generation) }
      if action != nil { state.starter = (run, observer) }
      return action
    }
    guard action != nil else { return seat }
    perform(action)
    let starter = state.withLock { $0.starter?.run === run ? $0.starter.take() : nil }
    _ = consume starter
    return seat
  }

  func leave(_ generation: UInt64, hasArrived: Bool = true) {
    decide { $0.leave(generation, hasArrived: hasArrived) }
  }

  // MARK: The source

  /// Whether anybody listens to `run`, or may come back to it. A source that sends inside the start closure can only
  /// learn here that everybody has left.
  func isWanted(_ run: ShareRun<Value>) -> Bool {
    let (isWanted, last) = state.withLock { state in
      let isAlone = state.starter?.run === run && state.machine.observers == 1
      return (state.machine.isWanted(run.generation), isAlone ? state.starter?.observer : nil)
    }
    return isWanted && last?.isDisposed != true
  }

  func end(_ run: ShareRun<Value>, _ end: End) {
    // First the machine: a handler that subscribes again at the terminal belongs to a fresh run, or to this one for
    // ever.
    let ending: ShareMachine.Ending = if case .failed = end { .failed } else { .completed }
    let action = state.withLock { $0.machine.ended(run.generation, ending) }
    run.willEnd?()
    run.subject.send(end: end)
    perform(action)
  }

  // MARK: Actions

  private func decide(_ question: (inout ShareMachine) -> ShareMachine.Action?) {
    perform(state.withLock { $0.decide(question) })
  }

  private func perform(_ action: ShareMachine.Action?) {
    guard let action, var next = actions.enter(action) else { return }
    while true {
      performOne(next)
      guard let waiting = actions.next() else { return }
      next = waiting
    }
  }

  // Two threads may bring two actions in the other order than the machine decided on them: a linger and its cancelling,
  // or a cancelling and the next linger. The tokens tell.
  private func performOne(_ action: ShareMachine.Action) {
    switch action {
    case .start(let generation): startRun(generation)
    case .stop(let generation): stopRun(generation)
    case .linger(let token): startLinger(token)
    case .cancelLinger(let token):
      let linger = state.withLock { $0.lingerTimer?.token == token ? $0.lingerTimer.take() : nil }
      linger?.timer.dispose()
    }
  }

  private func startRun(_ generation: UInt64) {
    if let run = state.withLock({ $0.current }) { run.source.add(run.start(ShareRunObserver(run, self))) }
    decide { $0.started(generation) }
  }

  private func stopRun(_ generation: UInt64) {
    let (run, linger) = state.withLock { state in
      (state.current, state.lingerTimer.take())
    }
    linger?.timer.dispose()
    run?.source.dispose(whenStopped: { [self] in finishStop(generation) })
  }

  private func finishStop(_ generation: UInt64) {
    let (action, old) = state.withLock { state in
      // What is latched serves newcomers for ever.
      let old = state.machine.isLatched ? nil : state.current.take()
      return (state.decide { $0.stopped(generation) }, old)
    }
    _ = consume old
    perform(action)
  }

  private func startLinger(_ token: UInt64) {
    guard state.withLock({ $0.machine.phase == .lingering(token: token) }) else { return }
    let timer = scheduler.schedule(after: linger) { [self] in
      decide { $0.lingered(token) }
    }
    let old = state.withLock { state in
      let old = state.lingerTimer
      state.lingerTimer = (token, timer)
      return old
    }
    old?.timer.dispose()
  }
}
