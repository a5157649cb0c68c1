/// Where and when work runs. Every operator that has to do with time takes one.
///
/// A scheduler of your own runs its work inside `Schedulers.run(on:_:)`, so that `Schedulers.current` knows it.
public protocol Scheduler: Sendable {
  /// The time since a fixed moment in the past, which never goes back.
  var now: Duration { get }

  /// Runs `work` once, `delay` from now; at once, though not inside this call, when `delay` is not positive.
  ///
  /// Work of one scheduler runs one at a time, in the order of its due times. Disposing what is returned before the
  /// work began keeps it from running and releases it. `ImmediateScheduler` and `SubscriptionScheduler` are exceptions: they
  /// run work inside the call, and so the work of several callers side by side.
  @discardableResult
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable
}

extension Scheduler {
  /// Runs `work` as soon as possible.
  @discardableResult
  public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    schedule(after: .zero, work)
  }
}
