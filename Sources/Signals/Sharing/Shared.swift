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
    let shared = Shared(self, replay: replay, linger: linger, scheduler)
    return Signal(attaching: { shared.join($0) })
  }
}

/// The thin shell around a `ShareMachine`: performs its actions, one at a time and outside the lock.
private final class Shared<Value: Sendable>: Sendable {
  private struct State {
    var machine: ShareMachine
    var actions = DrainQueue<ShareMachine.Action>()
    var lastID: ShareMachine.ID = 0
    /// The runs that observers are attached to: at most the current one and the next.
    var runs: [Run<Value>] = []
    var lingerTimer: (any Disposable)?
  }

  private let source: Signal<Value>
  private let replay: Int
  private let linger: Duration
  private let scheduler: any Scheduler
  private let state: Lock<State>

  init(_ source: Signal<Value>, replay: Int, linger: Duration, _ scheduler: any Scheduler) {
    self.source = source
    self.replay = replay
    self.linger = linger
    self.scheduler = scheduler
    state = Lock(State(machine: ShareMachine(lingers: linger > .zero)))
  }

  func join(_ observer: Observer<Value>) -> any Disposable {
    let (id, run, action) = state.withLock { [replay] state in
      state.lastID += 1
      let (generation, action) = state.machine.join(state.lastID)
      let run: Run<Value>
      if let known = state.runs.last(where: { $0.generation == generation }) {
        run = known
      } else {
        run = Run(generation, replay: replay)
        state.runs.append(run)
      }
      return (state.lastID, run, action)
    }
    // Before the action: what the start closure sends finds its observer.
    let attachment = run.subject.signal.attach(observer)
    perform(action)
    return ActionDisposable { [self] in
      attachment?.dispose()
      perform(state.withLock { $0.machine.leave(id) })
    }
  }

  private func perform(_ action: ShareMachine.Action?) {
    guard var action, state.withLock({ $0.actions.enter(action) }) else { return }
    while true {
      performOne(action)
      guard let next = state.withLock({ $0.actions.next() }) else { return }
      action = next
    }
  }

  private func performOne(_ action: ShareMachine.Action) {
    switch action {
    case .start(let generation):
      guard let run = state.withLock({ $0.runs.first { $0.generation == generation } }) else { return }
      run.source.add(source.attach(RunObserver(run, self)))
      perform(state.withLock { $0.machine.started(generation) })
    case .stop(let generation):
      let run = state.withLock { state in
        let index = state.runs.firstIndex { $0.generation == generation }
        return index.map { state.runs.remove(at: $0) }
      }
      run?.source.dispose()
      perform(state.withLock { $0.machine.stopped(generation) })
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
  let source = CompoundDisposable()

  init(_ generation: UInt64, replay: Int) {
    self.generation = generation
    subject = Subject(replay: replay)
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
  override var isDisposed: Bool { run.source.isDisposed || run.subject.isDisposed }
}
