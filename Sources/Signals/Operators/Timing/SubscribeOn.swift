extension Signal {
  /// Runs the start of the source on `scheduler`; events come on whatever thread the source sends.
  ///
  /// A start that was disposed before it ran never runs. `subscribe(on: .subscription)` starts at once on a scheduler
  /// and in the background elsewhere. Where the stop has to run on a scheduler too, its closure schedules it.
  public func subscribe(on scheduler: any Scheduler) -> Signal<Value> {
    Signal(attaching: { [attach] downstream in
      let hop = Readiness()
      let disposable = CompoundDisposable([hop])
      disposable.add(
        scheduler.schedule {
          // Added first, so that a disposal waits for a start that is under way.
          let link = Subscription()
          disposable.add(link)
          link.attach(link.isDisposed ? nil : attach(downstream))
          link.whenReady { hop.succeed() }
        })
      return disposable
    })
  }
}
