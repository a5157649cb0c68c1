import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct SubscribeOnTests {
  @Test func `the source starts on the scheduler`() {
    let scheduler = VirtualScheduler()
    let source = Signal<Int> { observer in
      #expect(Schedulers.current as? VirtualScheduler === scheduler)
      observer.send(progress: 0.5)
      observer.send(1)
      observer.complete()
      return nil
    }
    let recorder = Recorder(source.subscribe(on: scheduler))
    #expect(recorder.log == [])
    scheduler.advance(by: .zero)
    #expect(recorder.log == ["progress(50%)", "next(1)", "completed"])
  }

  @Test func `a start that was disposed before it ran never runs`() {
    let scheduler = VirtualScheduler()
    let starts = Lock(0)
    let source = Signal<Int> { _ in
      starts.withLock { $0 += 1 }
      return nil
    }
    let recorder = Recorder(source.subscribe(on: scheduler))
    recorder.subscription.dispose()
    #expect(scheduler.pendingCount == 0)
    scheduler.advance(by: .zero)
    #expect(starts.withLock { $0 } == 0)
  }

  @Test func `a disposal after the start, or during it, disposes the source`() {
    for isDuring in [false, true] {
      let scheduler = VirtualScheduler()
      let disposals = Lock(0)
      let own = Lock<Subscription?>(nil)
      let source = Signal<Int> { _ in
        if isDuring { own.withLock { $0 }?.dispose() }
        return ActionDisposable { disposals.withLock { $0 += 1 } }
      }
      let subscription = source.subscribe(on: scheduler).subscribe()
      own.withLock { $0 = subscription }
      scheduler.advance(by: .zero)
      subscription.dispose()
      #expect(disposals.withLock { $0 } == 1)
    }
  }

  @Test func `the subscription scheduler starts at once on a scheduler`() {
    let scheduler = VirtualScheduler()
    let source = Signal<Int> { observer in
      observer.send(1)
      return nil
    }.subscribe(on: .subscription)
    scheduler.schedule { #expect(Recorder(source).values == [1]) }
    scheduler.advance(by: .zero)
  }
}
