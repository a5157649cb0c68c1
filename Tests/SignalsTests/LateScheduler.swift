import Signals
import SignalsTesting

/// A scheduler whose clock can go on while nothing runs.
final class LateScheduler: Scheduler {
  let base = VirtualScheduler()
  private let lost = Lock(Duration.zero)

  var now: Duration { base.now + lost.withLock { $0 } }

  func lose(_ time: Duration) { lost.withLock { $0 += time } }

  @discardableResult
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable {
    base.schedule(after: delay, work)
  }
}
