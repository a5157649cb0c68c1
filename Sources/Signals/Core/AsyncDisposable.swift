/// A disposable whose stop takes time: an `async` closure that runs once.
///
/// A shared signal starts its source again only after the stop has returned.
public final class AsyncDisposable: Disposable {
  private let state: Lock<StopState<@Sendable () async -> Void>>

  /// Makes a disposable that runs `stop`, in a task of its own, when it is first disposed.
  public init(_ stop: @escaping @Sendable () async -> Void) {
    state = Lock(.live(stop))
  }

  /// Begins to stop.
  public func dispose() {
    guard let stop = state.withLock({ $0.begin() }) else { return }
    Task { [self] in
      await stop()
      for stopped in state.withLock({ $0.finish() }) { stopped() }
    }
  }

  /// Begins to stop, unless it has begun; `stopped` runs when it is over.
  public func dispose(whenStopped stopped: @escaping @Sendable () -> Void) {
    dispose()
    if !state.withLock({ $0.wait(stopped) }) { stopped() }
  }

  /// Whether the stop has begun.
  public var isDisposed: Bool { state.withLock { $0.isDisposed } }

  /// Whether the stop has begun and not returned.
  public var isStopping: Bool { state.withLock { $0.isStopping } }
}
