/// What there is to know about schedulers as such.
public enum Schedulers {
  @TaskLocal private static var turn: Turn?

  /// The scheduler whose work this code is part of; `nil` in code that none of them runs.
  ///
  /// On the main queue, the main actor included, it is `.main`. A task that scheduled work starts is not part of that
  /// work.
  public static var current: (any Scheduler)? {
    if let turn, turn.place.isHere { return turn.scheduler }
    return QueueScheduler.current
  }

  /// Runs `work` as work of `scheduler`: for those who write schedulers.
  public static func run(on scheduler: any Scheduler, _ work: () -> Void) {
    let turn = Turn(scheduler)
    $turn.withValue(turn, operation: work)
    turn.place.leave()
  }

  private final class Turn: Sendable {
    let scheduler: any Scheduler
    let place = SynchronousPlace()

    init(_ scheduler: any Scheduler) { self.scheduler = scheduler }
  }
}
