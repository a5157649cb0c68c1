extension Signal {
  /// Runs the start of the source on `scheduler`; events come on whatever thread the source sends.
  ///
  /// A start that was disposed before it ran never runs. `subscribe(on: .subscription)` starts at once on a scheduler
  /// and in the background elsewhere. Where the stop has to run on a scheduler too, its closure schedules it.
  public func subscribe(on scheduler: any Scheduler) -> Signal<Value> {
    Signal(attaching: { [attach] downstream in
      let start = LateStart()
      return CompoundDisposable([start, scheduler.schedule { start.run { attach(downstream) } }])
    })
  }
}

/// A source that starts later, and perhaps while it is disposed already: it has stopped when its start has returned and
/// what that gave has stopped.
private final class LateStart: Disposable {
  private struct State {
    var isDisposed = false
    var isStarting = false
    var source: (any Disposable)?
    /// Of those who disposed it while it was starting.
    var waiting: [@Sendable () -> Void] = []
  }

  private let state = Lock(State())

  func run(_ start: () -> (any Disposable)?) {
    let isWanted = state.withLock { state in
      state.isStarting = !state.isDisposed
      return state.isStarting
    }
    guard isWanted else { return }
    let source = start()
    let (isDisposed, waiting) = state.withLock { state in
      state.isStarting = false
      state.source = source
      defer { state.waiting = [] }
      return (state.isDisposed, state.waiting)
    }
    if isDisposed { source?.dispose() }
    for stopped in waiting { dispose(whenStopped: stopped) }
  }

  func dispose() {
    let source = state.withLock { state in
      state.isDisposed = true
      return state.source
    }
    source?.dispose()
  }

  func dispose(whenStopped stopped: @escaping @Sendable () -> Void) {
    dispose()
    let (isStarting, source) = state.withLock { state in
      if state.isStarting { state.waiting.append(stopped) }
      return (state.isStarting, state.source)
    }
    if isStarting { return }
    if let source { source.dispose(whenStopped: stopped) } else { stopped() }
  }

  var isStopping: Bool {
    let (isStarting, source) = state.withLock { ($0.isDisposed && $0.isStarting, $0.source) }
    return isStarting || source?.isStopping ?? false
  }
}
