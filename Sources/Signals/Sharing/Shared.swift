extension Signal {
  /// One run of this signal for all observers: it starts at the first, stops after the last, and starts anew for
  /// the next.
  ///
  /// - Parameters:
  ///   - replay: how many of the run's last values a later observer gets at once, followed by the latest progress;
  ///     0 for none. What an earlier run sent is never replayed.
  ///   - linger: how long the run goes on after its last observer left. Who comes within it joins the same run.
  ///   - scheduler: what measures the linger.
  ///
  /// An observer is attached before the run starts, so it misses nothing. A new start never overlaps an old stop.
  /// After a failure or completion, which every observer gets, the next observer starts a fresh run.
  public func shared(
    replay: Int = 0, linger: Duration = .zero, on scheduler: any Scheduler = .background
  ) -> Signal<Value> {
    precondition(replay >= 0, "shared(replay:) takes 0 or more, not \(replay)")
    let shared = Shared<Value>(linger: linger, scheduler) {
      Run($0, Subject(replay: replay))
    } start: { [attach] _, observer in
      attach(observer)
    }
    return Signal(attaching: { shared.join($0) })
  }

  /// A shared signal whose newcomers get what the store of the run gives them; `start` gets that store too.
  package static func shared<Store: ReplayStore<Value>>(
    linger: Duration, on scheduler: any Scheduler, store: @escaping @Sendable () -> Store,
    start: @escaping @Sendable (Store, Observer<Value>) -> (any Disposable)?
  ) -> Signal<Value> {
    let shared = Shared<Value>(linger: linger, scheduler) {
      let store = store()
      return Run($0, Subject(store: store), store: store)
    } start: { run, observer in
      (run.store as? Store).flatMap { start($0, observer) }
    }
    return Signal(attaching: { shared.join($0) })
  }
}

/// The thin shell around a `ShareMachine`: performs its actions, one at a time and outside the lock.
private final class Shared<Value: Sendable>: Sendable {
  private struct State {
    var machine: ShareMachine
    var lastID: ShareMachine.ID = 0
    /// The runs that observers are attached to: at most the current one and the next.
    var runs: [Run<Value>] = []
    var lingerTimer: (any Disposable)?
    /// Whose joining starts a run: it can't leave before the start closure has returned, only be disposed.
    var starter: (id: ShareMachine.ID, observer: Observer<Value>)?
  }

  private let linger: Duration
  private let scheduler: any Scheduler
  private let makeRun: @Sendable (_ generation: UInt64) -> Run<Value>
  private let start: @Sendable (Run<Value>, Observer<Value>) -> (any Disposable)?
  private let state: Lock<State>
  private let actions = DrainQueue<ShareMachine.Action>()

  init(
    linger: Duration, _ scheduler: any Scheduler,
    makeRun: @escaping @Sendable (UInt64) -> Run<Value>,
    start: @escaping @Sendable (Run<Value>, Observer<Value>) -> (any Disposable)?
  ) {
    self.linger = linger
    self.scheduler = scheduler
    self.makeRun = makeRun
    self.start = start
    state = Lock(State(machine: ShareMachine(lingers: linger > .zero)))
  }

  func join(_ observer: Observer<Value>) -> any Disposable {
    let (id, run, action) = state.withLock { [makeRun] state in
      state.lastID += 1
      let (generation, action) = state.machine.join(state.lastID)
      let run: Run<Value>
      if let known = state.runs.last(where: { $0.generation == generation }) {
        run = known
      } else {
        run = makeRun(generation)
        state.runs.append(run)
      }
      if action?.isStart == true { state.starter = (state.lastID, observer) }
      return (state.lastID, run, action)
    }
    // Before the action: what the start closure sends finds its observer.
    let attachment = run.subject.signal.attach(observer)
    perform(action)
    if action?.isStart == true {
      let starter = state.withLock { $0.starter?.id == id ? $0.starter.take() : nil }
      _ = consume starter
    }
    return ActionDisposable { [self] in
      attachment?.dispose()
      perform(state.withLock { $0.machine.leave(id) })
    }
  }

  private func perform(_ action: ShareMachine.Action?) {
    var next = action.flatMap { actions.enter($0) }
    while let action = next {
      performOne(action)
      next = actions.next()
    }
  }

  private func performOne(_ action: ShareMachine.Action) {
    switch action {
    case .start(let generation):
      guard let run = state.withLock({ $0.runs.first { $0.generation == generation } }) else { return }
      run.source.add(start(run, RunObserver(run, self)))
      perform(state.withLock { $0.machine.started(generation) })
    case .stop(let generation):
      let run = state.withLock { state in
        let index = state.runs.firstIndex { $0.generation == generation }
        return index.map { state.runs.remove(at: $0) }
      }
      let stopped: @Sendable () -> Void = { [self] in
        perform(state.withLock { $0.machine.stopped(generation) })
      }
      if let run { run.source.dispose(whenStopped: stopped) } else { stopped() }
    case .linger(let token):
      let timer = scheduler.schedule(after: linger) { [self] in
        perform(state.withLock { $0.machine.lingered(token) })
      }
      let old = state.withLock { state in
        let old = state.lingerTimer
        state.lingerTimer = timer
        return old
      }
      old?.dispose()
    case .cancelLinger:
      let timer = state.withLock { $0.lingerTimer.take() }
      timer?.dispose()
    }
  }

  /// Whether anybody listens to `run`, or may come back to it. A source that sends inside the start closure can only
  /// learn here that everybody has left.
  fileprivate func isWanted(_ run: Run<Value>) -> Bool {
    let (isWanted, last) = state.withLock { state in
      let starter = state.starter.flatMap { state.machine.observers == [$0.id] ? $0.observer : nil }
      return (state.machine.isWanted(run.generation), starter)
    }
    return isWanted && last?.isDisposed != true
  }

  fileprivate func end(_ run: Run<Value>, _ end: End) {
    // First the machine: a handler that subscribes again at the terminal belongs to a fresh run.
    let action = state.withLock { $0.machine.ended(run.generation) }
    run.subject.send(end: end)
    perform(action)
  }
}

/// One run of a shared source: what it sends, and what stops it.
private final class Run<Value: Sendable>: Sendable {
  let generation: UInt64
  let subject: Subject<Value>
  let store: (any ReplayStore<Value>)?
  let source = CompoundDisposable()

  init(_ generation: UInt64, _ subject: Subject<Value>, store: (any ReplayStore<Value>)? = nil) {
    self.generation = generation
    self.subject = subject
    self.store = store
  }
}

private final class RunObserver<Value: Sendable>: Observer<Value>, @unchecked Sendable {
  // Sound: immutable; the subject and the machine guard themselves.
  private let run: Run<Value>
  private let shared: Shared<Value>

  init(_ run: Run<Value>, _ shared: Shared<Value>) {
    self.run = run
    self.shared = shared
  }

  override func send(_ value: Value) { run.subject.send(value) }
  override func send(progress: ProgressUpdate) { run.subject.send(progress: progress) }
  override func fail(_ error: any Error) { shared.end(run, .failed(error)) }
  override func complete() { shared.end(run, .completed) }
  override var isDisposed: Bool { run.subject.isDisposed || !shared.isWanted(run) }
}
