/// Tells those who wait that a source is live: for a source that takes time to begin, as what it returns from its start
/// or as a part of that.
///
/// ```swift
/// Signal<Reading> { observer in
///   let readiness = Readiness()
///   let link = sensor.open(observer.send, opened: readiness.succeed)
///   return CompoundDisposable([readiness, ActionDisposable(link.close)])
/// }
/// ```
///
/// A source that can't begin says so by failing. Safe from any thread; actions run in no lock.
package final class Readiness: Disposable {
  private enum Phase: Sendable { case pending, ready, disposed }

  private struct State: Sendable {
    var phase = Phase.pending
    var waiting: [@Sendable () -> Void] = []

    mutating func leave(for next: Phase) -> [@Sendable () -> Void] {
      phase = next
      defer { waiting = [] }
      return waiting
    }
  }

  private let state = Lock(State())

  /// Makes one that is not ready.
  package init() {}

  /// The source is live: whoever waits hears of it, and who asks later hears at once. Idempotent.
  package func succeed() {
    let actions = state.withLock { $0.phase == .pending ? $0.leave(for: .ready) : [] }
    for action in actions { action() }
  }

  /// Runs `action` once the source is live.
  package func whenReady(_ action: @escaping @Sendable () -> Void) {
    let isReady = state.withLock { state in
      if state.phase == .pending { state.waiting.append(action) }
      return state.phase == .ready
    }
    if isReady { action() }
  }

  /// Lets go of whoever waits.
  package func dispose() {
    let actions = state.withLock { $0.leave(for: .disposed) }
    _ = consume actions
  }

  /// Whether it has been disposed.
  package var isDisposed: Bool { state.withLock { $0.phase == .disposed } }
}
