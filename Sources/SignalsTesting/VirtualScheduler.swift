public import Signals

/// A scheduler whose time moves only when the test says so.
///
/// Due work runs inside `advance`, on the thread of the test, in the order of its due times; equal ones in the order
/// in which they were scheduled. Work that is scheduled meanwhile runs too when it is due.
public final class VirtualScheduler: Scheduler {
  private struct Work {
    let due: Duration
    let order: Int
    let action: @Sendable () -> Void
  }

  private struct State {
    var now = Duration.zero
    var order = 0
    var pending: [Work] = []

    /// Takes the earliest work that is due at `time`, and moves the clock to it.
    mutating func takeDue(at time: Duration) -> Work? {
      guard let first = pending.min(by: { ($0.due, $0.order) < ($1.due, $1.order) }), first.due <= time
      else { return nil }
      pending.removeAll { $0.order == first.order }
      now = max(now, first.due)
      return first
    }
  }

  private let state = Lock(State())

  /// Makes a scheduler whose time is zero.
  public init() {}

  /// The virtual time, from zero on.
  public var now: Duration { state.withLock { $0.now } }

  /// How many pieces of work wait for their time.
  public var pendingCount: Int { state.withLock { $0.pending.count } }

  /// Runs `work` inside the `advance` that reaches its time.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let order = state.withLock { state in
      state.order += 1
      state.pending.append(Work(due: state.now + max(delay, .zero), order: state.order, action: work))
      return state.order
    }
    return ActionDisposable { [self] in
      let cancelled = state.withLock { state in
        let index = state.pending.firstIndex { $0.order == order }
        return index.map { state.pending.remove(at: $0) }
      }
      // Released here, outside the lock.
      _ = consume cancelled
    }
  }

  /// Moves the time forward, running what comes due.
  public func advance(by duration: Duration) {
    let end = now + duration
    while let work = state.withLock({ $0.takeDue(at: end) }) {
      Schedulers.run(on: self, work.action)
    }
    state.withLock { $0.now = end }
  }
}
