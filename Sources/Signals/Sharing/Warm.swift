extension Signal {
  /// Subscribes without handlers for a while: to warm up a shared source, or to keep it up between two uses.
  ///
  /// It counts like any other subscription, so the source stays for `duration` and, when it is shared with a linger,
  /// for the linger after that. What the signal sends is ignored, progress included; when it ends, or when the returned
  /// subscription is disposed, the timer is gone too.
  ///
  /// - Parameters:
  ///   - duration: how long, from now on.
  ///   - scheduler: what measures it, and where the source is then disposed.
  @discardableResult
  public func warm(for duration: Duration, on scheduler: any Scheduler = .background) -> Subscription {
    let warm = Subscription()
    let observer = HandlerObserver<Value>(warm, next: nil, progress: nil, failed: nil, completed: nil)
    let sources = CompoundDisposable()
    // The timer first: a source that ends at once takes it along.
    sources.add(scheduler.schedule(after: duration) { warm.dispose() })
    warm.attach(sources)
    sources.add(attach(observer))
    return warm
  }
}
