public import Dispatch

/// A scheduler on a serial dispatch queue.
public final class QueueScheduler: Scheduler {
  private let queue: DispatchQueue

  /// Makes a scheduler on `queue`, which has to be serial.
  public convenience init(_ queue: DispatchQueue) {
    // So that the shared one owns the main queue, whoever comes.
    _ = Self.sharedMain
    self.init(owning: queue)
  }

  private init(owning queue: DispatchQueue) {
    self.queue = queue
    if queue.getSpecific(key: Self.owner)?.scheduler == nil {
      queue.setSpecific(key: Self.owner, value: Owner(scheduler: self))
    }
  }

  /// Makes a scheduler on a serial queue of its own.
  public convenience init(label: String) { self.init(DispatchQueue(label: label)) }

  /// The time since the machine started, without its sleep.
  public var now: Duration { .nanoseconds(DispatchTime.now().uptimeNanoseconds) }

  /// Runs `work` on the queue, `delay` from now.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    if delay > .zero { return QueueTimer(queue, delay, work) }
    let item = ScheduledWork(work)
    queue.async { item.run() }
    return item
  }

  // MARK: Where code runs

  /// Weak, since the scheduler holds its queue.
  private struct Owner: Sendable {
    weak var scheduler: QueueScheduler?
  }

  private static let owner = DispatchSpecificKey<Owner>()

  /// The scheduler of the queue that runs this code; the oldest, where a queue has several.
  static var current: QueueScheduler? {
    // The main queue is known before anybody has used its scheduler.
    _ = sharedMain
    return DispatchQueue.getSpecific(key: owner)?.scheduler
  }
}

/// A timer source and not `asyncAfter`, which would stay in the queue until its time.
private final class QueueTimer: Disposable, @unchecked Sendable {
  // Sound: immutable, and dispatch sources may be cancelled from any thread.
  private let source: any DispatchSourceTimer
  private let work: ScheduledWork

  init(_ queue: DispatchQueue, _ delay: Duration, _ work: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: queue)
    self.work = ScheduledWork(work)
    // The handler holds the timer until it has fired or was cancelled: nobody else has to.
    source.setEventHandler { [self] in
      source.cancel()
      self.work.run()
    }
    source.schedule(deadline: .now() + .nanoseconds(delay.wholeNanoseconds))
    source.activate()
  }

  var isDisposed: Bool { work.isDisposed }

  func dispose() {
    source.cancel()
    // Now, and not only when the queue comes to let go of the handler.
    work.dispose()
  }
}

extension Duration {
  /// In nanoseconds, from 0 to what an `Int` holds.
  fileprivate var wholeNanoseconds: Int {
    guard self > .zero else { return 0 }
    // Asked of the duration itself: its components may not hold it.
    guard self < .seconds(9_000_000_000) else { return .max }
    return Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000)
  }
}

extension Scheduler where Self == QueueScheduler {
  /// A shared scheduler in the background.
  public static var background: QueueScheduler { .sharedBackground }
  /// The main queue.
  public static var main: QueueScheduler { .sharedMain }
}

extension QueueScheduler {
  fileprivate static let sharedBackground = QueueScheduler(label: "signals.background")
  fileprivate static let sharedMain = QueueScheduler(owning: .main)
}
