/// A disposable whose stop takes time: an `async` closure that runs once.
///
/// A shared signal starts its source again only after the stop has returned.
public final class AsyncDisposable: Disposable {
  private enum State {
    case live(stop: @Sendable () async -> Void)
    case stopping(waiting: [@Sendable () -> Void])
    case stopped
  }

  private let state: Lock<State>

  /// Makes a disposable that runs `stop`, in a task of its own, when it is first disposed.
  public init(_ stop: @escaping @Sendable () async -> Void) {
    state = Lock(.live(stop: stop))
  }

  /// Begins to stop.
  public func dispose() { dispose(whenStopped: {}) }

  /// Begins to stop, unless it has begun; `stopped` runs when it is over.
  public func dispose(whenStopped stopped: @escaping @Sendable () -> Void) {
    let (stop, isOver) = state.withLock { state -> ((@Sendable () async -> Void)?, Bool) in
      switch state {
      case .live(let stop):
        state = .stopping(waiting: [stopped])
        return (stop, false)
      case .stopping(let waiting):
        state = .stopping(waiting: waiting + [stopped])
        return (nil, false)
      case .stopped:
        return (nil, true)
      }
    }
    if isOver { stopped() }
    guard let stop else { return }
    Task { [self] in
      await stop()
      finish()
    }
  }

  /// Whether the stop has begun.
  public var isDisposed: Bool {
    state.withLock { if case .live = $0 { false } else { true } }
  }

  /// Whether the stop has begun and not returned.
  public var isStopping: Bool {
    state.withLock { if case .stopping = $0 { true } else { false } }
  }

  private func finish() {
    let waiting = state.withLock { state -> [@Sendable () -> Void] in
      guard case .stopping(let waiting) = state else { return [] }
      state = .stopped
      return waiting
    }
    for stopped in waiting { stopped() }
  }
}
