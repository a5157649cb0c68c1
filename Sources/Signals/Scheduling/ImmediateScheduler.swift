/// Runs work at once, inside the call that schedules it, on the thread that calls.
///
/// Work that is scheduled by such work runs when that has returned, in order: recursion needs no stack. It is not a
/// place of its own: `Schedulers.current` is what it was outside, and callers on several threads run side by side.
/// To wait would block the caller, so work with a delay runs on the background scheduler instead.
public struct ImmediateScheduler: Scheduler {
  @TaskLocal private static var trampoline: Trampoline?

  /// Makes one; they are all the same.
  public init() {}

  /// The time of the background scheduler.
  public var now: Duration { QueueScheduler.background.now }

  /// Runs `work` before it returns, unless it is called by such work, or `delay` is positive.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    if delay > .zero { return QueueScheduler.background.schedule(after: delay, work) }
    let item = ScheduledWork(work)
    if let trampoline = Self.trampoline, trampoline.place.isHere {
      trampoline.waiting.withLock { $0.append(item) }
      return item
    }
    let trampoline = Trampoline()
    Self.$trampoline.withValue(trampoline) {
      item.run()
      while let next = trampoline.waiting.withLock({ $0.popFirst() }) { next.run() }
    }
    trampoline.place.leave()
    return item
  }

  private final class Trampoline: Sendable {
    let place = SynchronousPlace()
    let waiting = Lock(Ring<ScheduledWork>())
  }
}

extension Scheduler where Self == ImmediateScheduler {
  /// Runs work inside the call that schedules it.
  public static var immediate: ImmediateScheduler { ImmediateScheduler() }
}
