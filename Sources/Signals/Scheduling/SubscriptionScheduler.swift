/// Runs work at once where the caller is on a scheduler already, and in the background otherwise.
///
/// Made for `subscribe(on:)`: the start closure of a signal then always runs as the work of some scheduler, which
/// `Schedulers.current` names. Not for operators with time: it has no clock of its own, only that of the place it is
/// asked at.
public struct SubscriptionScheduler: Scheduler {
  /// Makes one; they are all the same.
  public init() {}

  private var place: any Scheduler { Schedulers.current ?? QueueScheduler.background }

  /// The time of the scheduler that the caller is on, else of the background.
  public var now: Duration { place.now }

  /// Runs `work` inside the call when the caller is on a scheduler and `delay` is not positive.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    guard delay <= .zero, Schedulers.current != nil else { return place.schedule(after: delay, work) }
    return ImmediateScheduler().schedule(work)
  }
}

extension Scheduler where Self == SubscriptionScheduler {
  /// Runs work at once where the caller is on a scheduler already, and in the background otherwise.
  public static var subscription: SubscriptionScheduler { SubscriptionScheduler() }
}
