/// A disposable that runs a closure, once.
public final class ActionDisposable: Disposable {
  private enum State {
    case live(action: @Sendable () -> Void)
    /// The action runs, on the thread that disposed first.
    case stopping(waiting: [@Sendable () -> Void])
    case stopped
  }

  private let state: Lock<State>

  /// Makes a disposable that runs `action` when it is first disposed.
  public init(_ action: @escaping @Sendable () -> Void) {
    state = Lock(.live(action: action))
  }

  /// Runs the action, the first time.
  public func dispose() {
    let action = state.withLock { state -> (@Sendable () -> Void)? in
      guard case .live(let action) = state else { return nil }
      state = .stopping(waiting: [])
      return action
    }
    guard let action else { return }
    action()
    let waiting = state.withLock { state -> [@Sendable () -> Void] in
      guard case .stopping(let waiting) = state else { return [] }
      state = .stopped
      return waiting
    }
    for stopped in waiting { stopped() }
  }

  /// Runs the action, the first time; `stopped` runs when the action has returned, on whatever thread it runs.
  public func dispose(whenStopped stopped: @escaping @Sendable () -> Void) {
    dispose()
    let isOver = state.withLock { state in
      guard case .stopping(let waiting) = state else { return true }
      state = .stopping(waiting: waiting + [stopped])
      return false
    }
    if isOver { stopped() }
  }

  /// Whether the action has begun.
  public var isDisposed: Bool {
    state.withLock { if case .live = $0 { false } else { true } }
  }

  /// Whether the action has begun and not returned.
  public var isStopping: Bool {
    state.withLock { if case .stopping = $0 { true } else { false } }
  }
}
