public import Signals

/// A scheduler whose time moves only when the test says so.
///
/// Work runs inside `advance` or `run`, on the thread that called it, in the order of the due times; work of one
/// instant in the order in which it was scheduled. Work that is scheduled meanwhile runs too when it is due.
/// Scheduling and disposing are safe from any thread; disposal removes the work at once.
///
/// ```swift
/// let time = VirtualScheduler()
/// let recorder = Recorder(Signal.interval(.seconds(2), on: time))
/// time.advance(by: .seconds(5))
/// #expect(recorder.values == [0, 1])
/// ```
public final class VirtualScheduler: Scheduler {
  private struct State {
    var now = Duration.zero
    /// Where those who advance want to go; `now` when nobody does.
    var goal = Duration.zero
    var isRunning = false
    var queue = TimerQueue<@Sendable () -> Void>()

    mutating func begin(by duration: Duration) -> Bool {
      goal += duration
      defer { isRunning = true }
      return !isRunning
    }

    /// The next work, after moving the clock to it; `nil` ends the running, at the goal.
    mutating func next(beyondGoal: Bool) -> (@Sendable () -> Void)? {
      guard let (due, work) = queue.takeFirst(upTo: beyondGoal ? nil : goal) else {
        now = goal
        isRunning = false
        return nil
      }
      now = due
      goal = max(goal, due)
      return work
    }
  }

  /// What one column of a diagram lasts: see `Marble`.
  public let tick: Duration
  private let state = Lock(State())

  /// Makes a scheduler whose time is zero. `tick` is what one column of its diagrams lasts, above zero.
  public init(tick: Duration = .milliseconds(10)) {
    complain(unless: tick > .zero, "VirtualScheduler takes a tick above zero, not \(tick)")
    self.tick = tick
  }

  /// The virtual time, from zero on.
  public var now: Duration { state.withLock { $0.now } }

  /// How many pieces of work wait for their time.
  public var pendingCount: Int { state.withLock { $0.queue.count } }

  /// Runs `work` inside the `advance` or `run` that reaches its time.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    schedule(after: delay, isEarly: false, work)
  }

  /// Early work runs before all else that is due in its instant.
  @discardableResult
  func schedule(
    after delay: Duration, isEarly: Bool, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let id = state.withLock { $0.queue.add(work, due: $0.now + max(delay, .zero), isEarly: isEarly) }
    return ActionDisposable { [self] in
      let cancelled = state.withLock { $0.queue.remove(id) }
      // Released here, outside the lock.
      _ = consume cancelled
    }
  }

  /// Moves the time forward, running what comes due.
  ///
  /// Work runs one piece at a time. An `advance` from inside work, or beside that of another thread, adds its
  /// duration to the one that runs already, and returns before the time is reached.
  public func advance(by duration: Duration) {
    complain(
      unless: duration >= .zero,
      "VirtualScheduler.advance(by:) takes a duration from zero on, not \(duration): time never goes back")
    guard state.withLock({ $0.begin(by: duration) }) else { return }
    while let work = state.withLock({ $0.next(beyondGoal: false) }) { Schedulers.run(on: self, work) }
  }

  /// Moves the time forward until no work is pending, and leaves it at the last.
  ///
  /// It traps when there is more than `limit` pieces of work, since then something schedules itself for ever, and
  /// when it is called while the time moves already.
  public func run(limit: Int = 100_000) {
    complain(
      unless: state.withLock { $0.begin(by: .zero) },
      "VirtualScheduler.run() was called while the time moves already: call it from the test, not from work")
    var count = 0
    while let work = state.withLock({ $0.next(beyondGoal: true) }) {
      count += 1
      complain(
        unless: count <= limit,
        """
        VirtualScheduler.run() has run \(limit) pieces of work, up to \(now), and more are pending: something \
        schedules itself for ever. Dispose it, record it with an end (during: "^---!"), or use advance(by:)
        """)
      Schedulers.run(on: self, work)
    }
  }
}
