/// What there is to know about schedulers as such.
public enum Schedulers {
  @TaskLocal private static var running: Running?

  /// The scheduler whose work this code is part of; `nil` in code that none of them runs.
  ///
  /// On the main queue, the main actor included, it is `.main`. A task that scheduled work starts is not part of that
  /// work.
  public static var current: (any Scheduler)? {
    if let running, running.place.isHere { return running.scheduler }
    return QueueScheduler.current
  }

  /// Runs `work` as work of `scheduler`: for those who write schedulers.
  public static func run(on scheduler: any Scheduler, _ work: () -> Void) {
    let running = Running(scheduler)
    $running.withValue(running, operation: work)
    running.place.leave()
  }

  /// Work of a scheduler that is under way.
  private final class Running: Sendable {
    let scheduler: any Scheduler
    let place = SynchronousPlace()

    init(_ scheduler: any Scheduler) { self.scheduler = scheduler }
  }
}
