import Signals

/// The runs of the source under test: who receives what it sends, and how often each was stopped.
///
/// It goes on sending into runs that were stopped or have ended, as careless sources do.
final class Runs: Sendable {
  private struct State {
    var observers: [Observer<Item>] = []
    var stops: [Int] = []
  }

  private let state = Lock(State())

  var stops: [Int] { state.withLock { $0.stops } }
  var observers: [Observer<Item>] { state.withLock { $0.observers } }

  /// How many still want what the source sends.
  var wanted: Int { observers.count { !$0.isDisposed } }

  func start(_ observer: Observer<Item>) -> any Disposable {
    let index = state.withLock { state in
      state.observers.append(observer)
      state.stops.append(0)
      return state.stops.count - 1
    }
    return ActionCounter { [self] in state.withLock { $0.stops[index] += 1 } }
  }

  /// The source is gone without a terminal.
  func letGo() {
    let observers = state.withLock { state in
      let observers = state.observers
      state.observers = []
      return observers
    }
    _ = consume observers
  }
}

/// Counts every disposal, where `ActionDisposable` would hide all but the first.
private final class ActionCounter: Disposable {
  private let disposed: @Sendable () -> Void
  init(_ disposed: @escaping @Sendable () -> Void) { self.disposed = disposed }
  func dispose() { disposed() }
}
