extension Signal {
  /// Subscribes without handlers, for a while: keeps a shared source up until somebody needs it.
  ///
  /// It ends after `duration`, with the signal, or when what is returned is disposed; errors are ignored. It counts
  /// like any other subscription.
  @discardableResult
  public func warm(for duration: Duration, on scheduler: any Scheduler = .background) -> Subscription {
    let subscription = Subscription()
    let timer = scheduler.schedule(after: duration) { subscription.dispose() }
    let observer = HandlerObserver<Value>(subscription, next: nil, progress: nil, failed: nil, completed: nil)
    let ending = CompoundDisposable([timer])
    ending.add(attach(observer))
    subscription.attach(ending)
    return subscription
  }
}
