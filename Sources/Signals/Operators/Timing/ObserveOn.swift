extension Signal {
  /// Delivers everything on `scheduler`, in order: values, progress and the terminal.
  ///
  /// The source never waits. While the scheduler is busy, progress that waits is replaced by newer progress; values
  /// never are, and wait without a bound. One piece of scheduled work delivers all that waits when it begins, so that
  /// a busy signal leaves room for other work. A disposal drops what waits; on the scheduler, nothing comes after it.
  ///
  /// For handlers that belong to the main actor there is `observeOnMain(_:progress:failed:completed:)`, and for the
  /// thread on which the source starts `subscribe(on:)`.
  public func observe(on scheduler: any Scheduler) -> Signal<Value> {
    Signal(attaching: { [attach] downstream in
      let relay = Relay(downstream, scheduler)
      let disposable = CompoundDisposable([ActionDisposable { [weak relay] in relay?.close() }])
      disposable.add(attach(RelayInlet(relay)))
      return disposable
    })
  }
}
