/// The thin shell around a `ShareMachine`: performs its actions, one at a time and outside the lock.
final class ShareHub: Sendable {
  private struct State {
    var machine: ShareMachine
    /// The runs that observers are attached to.
    var current: ShareRun?
    var next: ShareRun?
    var lingerTimer: (token: UInt64, timer: any Disposable)?
    /// Whose joining starts a run: it can't leave before the start closure has returned, only be disposed.
    var starter: (run: ShareRun, isDisposed: @Sendable () -> Bool)?

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
  private let makeRun: @Sendable (_ generation: UInt64) -> ShareRun
  private let state: Lock<State>
  private let actions = DrainQueue<ShareMachine.Action>()

  init(
    _ rules: ShareMachine.Rules, _ linger: Duration, _ scheduler: any Scheduler,
    _ makeRun: @escaping @Sendable (_ generation: UInt64) -> ShareRun
  ) {
    self.linger = linger
    self.scheduler = scheduler
    self.makeRun = makeRun
    state = Lock(State(machine: ShareMachine(rules)))
  }

  // MARK: Observers

  /// Takes a seat in the run that is open. Attach the observer to it; then perform the action, or say `arrive` when the
  /// run is the next one.
  func takeSeat() -> (run: ShareRun, isNext: Bool, action: ShareMachine.Action?) {
    var spare: ShareRun?
    while true {
      let seat = state.withLock { [spare] state -> (ShareRun, Bool, ShareMachine.Action?)? in
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

  /// An observer is attached to a run that had not started when it came: now it may.
  func arrive(at run: ShareRun, _ isDisposed: @escaping @Sendable () -> Bool) {
    let action = state.withLock { state in
      let action = state.decide { $0.arrived(run.generation) }
      if action != nil { state.starter = (run, isDisposed) }
      return action
    }
    guard action != nil else { return }
    perform(action)
    let starter = state.withLock { $0.starter?.run === run ? $0.starter.take() : nil }
    withExtendedLifetime(starter) {}
  }

  /// Gives a seat back. Once, see `ShareSeat`.
  func leave(_ generation: UInt64, hasArrived: Bool) {
    decide { $0.leave(generation, hasArrived: hasArrived) }
  }

  /// Runs `action` when the source of run `generation` is live.
  func whenReady(_ generation: UInt64, _ action: @escaping @Sendable () -> Void) {
    let (current, next) = state.withLock { ($0.current, $0.next) }
    for run in [current, next] where run?.generation == generation { run?.whenReady(action) }
  }

  // MARK: The source

  /// Whether anybody listens to `run`, or may come back to it. A source that sends inside the start closure can only
  /// learn here that everybody has left.
  func isWanted(_ run: ShareRun) -> Bool {
    let (isWanted, isDisposed) = state.withLock { state in
      let isAlone = state.starter?.run === run && state.machine.observers == 1
      return (state.machine.isWanted(run.generation), isAlone ? state.starter?.isDisposed : nil)
    }
    guard isWanted, isDisposed?() == true else { return isWanted }
    // The source gives up now: unless somebody came meanwhile, whoever comes later belongs to the next run.
    return state.withLock { !$0.machine.abandon(run.generation) }
  }

  /// The source of `run` has ended; `deliver` says so to its observers.
  func end(_ run: ShareRun, _ ending: ShareMachine.Ending, _ deliver: () -> Void) {
    // First the machine: a handler that subscribes again at the terminal belongs to a fresh run, or to this one for
    // ever.
    let action = state.withLock { $0.machine.ended(run.generation, ending) }
    deliver()
    perform(action)
  }

  // MARK: Actions

  private func decide(_ question: (inout ShareMachine) -> ShareMachine.Action?) {
    perform(state.withLock { $0.decide(question) })
  }

  func perform(_ action: ShareMachine.Action?) {
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
    state.withLock { $0.current }?.start(self)
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
