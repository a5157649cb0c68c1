/// A disposable that runs a closure, once.
public final class ActionDisposable: Disposable {
  private let state: Lock<StopState<@Sendable () -> Void>>

  /// Makes a disposable that runs `action` when it is first disposed.
  public init(_ action: @escaping @Sendable () -> Void) {
    state = Lock(.live(action))
  }

  /// Runs the action, the first time.
  public func dispose() {
    guard let action = state.withLock({ $0.begin() }) else { return }
    action()
    for stopped in state.withLock({ $0.finish() }) { stopped() }
  }

  /// Runs the action, the first time; `stopped` runs when the action has returned, on whatever thread it runs.
  public func dispose(whenStopped stopped: @escaping @Sendable () -> Void) {
    dispose()
    if !state.withLock({ $0.wait(stopped) }) { stopped() }
  }

  /// Whether the action has begun.
  public var isDisposed: Bool { state.withLock { $0.isDisposed } }

  /// Whether the action has begun and not returned.
  public var isStopping: Bool { state.withLock { $0.isStopping } }
}
