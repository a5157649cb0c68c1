extension Signal {
  /// One run of this signal for all observers: it starts at the first, stops after the last, and starts anew for
  /// the next.
  ///
  /// - Parameters:
  ///   - replay: how many of the run's last values a later observer gets at once, followed by the latest progress;
  ///     0 for none.
  ///   - linger: how long the run goes on after its last observer left. Who comes within it joins the same run.
  ///   - onFailure: what happens for who comes after the run has failed.
  ///   - onCompletion: what happens for who comes after the run has completed.
  ///   - stale: whether who comes to a fresh run first gets what an earlier one would have replayed.
  ///   - scheduler: what measures the linger and the age of stale values.
  ///
  /// An observer is attached before the run starts, so it misses nothing. Progress goes to all observers; the latest is
  /// replayed after the values, and forgotten with its run. All observers get a failure or completion. A new start never
  /// overlaps an old stop, also where that takes time. Events come on the thread on which the source sends; the source
  /// starts on the thread of whoever subscribes first, or on the one on which the stop before it ended.
  @inlinable
  public func shared(
    replay: Int = 0, linger: Duration = .zero, onFailure: ShareEndPolicy = .restart,
    onCompletion: ShareEndPolicy = .restart, stale: StalePolicy = .drop,
    on scheduler: any Scheduler = .background
  ) -> Signal<Value> {
    precondition(replay >= 0, "shared(replay:) takes 0 or more, not \(replay)")
    // The closure is written here so that it is compiled for the client's type.
    return shared(replay, linger, onFailure, onCompletion, stale, scheduler) { $0.send($1) }
  }

  @usableFromInline
  func shared(
    _ replay: Int, _ linger: Duration, _ onFailure: ShareEndPolicy, _ onCompletion: ShareEndPolicy,
    _ stale: StalePolicy, _ scheduler: any Scheduler,
    _ send: @escaping @Sendable (SubjectCore<Value>, Value) -> Void
  ) -> Signal<Value> {
    let rules = ShareMachine.Rules(lingers: linger > .zero, onFailure: onFailure, onCompletion: onCompletion)
    guard replay > 0, let maxAge = stale.maxAge else {
      return Self.shared(rules, linger, scheduler) { [attach] in
        SubjectRun($0, Subject(replay: replay), send, start: attach)
      }
    }
    let kept = KeptValues<Value>(replay, maxAge: maxAge, scheduler)
    return Self.shared(rules, linger, scheduler) { [attach] generation in
      let replay = RunReplay(kept, generation)
      return SubjectRun(generation, Subject(store: replay), send, start: attach, willEnd: replay.end)
    }
  }

  private static func shared(
    _ rules: ShareMachine.Rules, _ linger: Duration, _ scheduler: any Scheduler,
    _ makeRun: @escaping @Sendable (_ generation: UInt64) -> SubjectRun<Value>
  ) -> Signal<Value> {
    let hub = ShareHub(rules, linger, scheduler, makeRun)
    return Signal(attaching: { hub.join($0) })
  }
}

extension ShareHub {
  /// Attaches an observer to the run that is open.
  fileprivate func join<Value>(_ observer: Observer<Value>) -> (any Disposable)? {
    let (anyRun, isNext, action) = takeSeat()
    // The one who calls this made the hub, with a closure that makes such runs.
    let run = unsafeDowncast(anyRun, to: SubjectRun<Value>.self)
    let seat = ShareSeat(run, run.subject.core.attach(observer), self)
    if !isNext {
      perform(action)
    } else if observer.isDisposed {
      // Kept values were enough: the source need not start for it.
      seat.leave(hasArrived: false)
    } else {
      arrive(at: run) { observer.isDisposed }
    }
    return seat
  }
}
