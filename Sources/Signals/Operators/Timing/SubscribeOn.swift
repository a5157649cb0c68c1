extension Signal {
  /// Runs the start of the source on `scheduler`; events come on whatever thread the source sends.
  ///
  /// A start that was disposed before it ran never runs. `subscribe(on: .subscription)` starts at once on a scheduler
  /// and in the background elsewhere. Where the stop has to run on a scheduler too, its closure schedules it.
  public func subscribe(on scheduler: any Scheduler) -> Signal<Value> {
    Signal(attaching: { [attach] downstream in
      // They know what it means to be disposed while a source starts.
      let sources = FunnelSources()
      sources.set(0, scheduler.schedule { sources.start(1) { attach(downstream) } })
      return sources
    })
  }
}
