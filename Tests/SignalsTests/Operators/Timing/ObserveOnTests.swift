import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct ObserveOnTests {
  @Test func `everything waits for the scheduler, in order, in one piece of work`() {
    let (source, scheduler) = (Subject<Int>(), VirtualScheduler())
    let recorder = Recorder(source.signal.observe(on: scheduler))
    source.send(1)
    source.send(progress: 0.5)
    source.send(2)
    source.complete()
    #expect(recorder.log == [])
    #expect(scheduler.pendingCount == 1)
    scheduler.advance(by: .zero)
    #expect(recorder.log == ["next(1)", "progress(50%)", "next(2)", "completed"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `progress that waits is replaced by newer progress, and comes before the failure`() {
    let (source, scheduler) = (Subject<Int>(), VirtualScheduler())
    let recorder = Recorder(source.signal.observe(on: scheduler))
    for step in 1...3 { source.send(progress: ProgressUpdate(fraction: Double(step) / 4)) }
    source.send(1)
    source.send(progress: 0.8)
    source.send(progress: 0.9)
    source.fail(Broken())
    scheduler.advance(by: .zero)
    #expect(recorder.log == ["progress(75%)", "next(1)", "progress(90%)", "failed(Broken())"])
  }

  @Test func `a disposal by a handler on the scheduler drops the rest of the batch`() {
    let (source, scheduler) = (Subject<Int>(), VirtualScheduler())
    let seen = Lock<[Int]>([])
    let own = Lock<Subscription?>(nil)
    let subscription = source.signal.observe(on: scheduler).subscribe { value in
      seen.withLock { $0.append(value) }
      if value == 2 { own.withLock { $0 }?.dispose() }
    }
    own.withLock { $0 = subscription }
    for value in 1...4 { source.send(value) }
    scheduler.advance(by: .zero)
    #expect(seen.withLock { $0 } == [1, 2])
    source.send(5)
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `a disposal before the delivery takes the work back`() {
    let (source, scheduler) = (Subject<Int>(), VirtualScheduler())
    let recorder = Recorder(source.signal.observe(on: scheduler))
    source.send(1)
    recorder.subscription.dispose()
    #expect(scheduler.pendingCount == 0)
    scheduler.advance(by: .zero)
    #expect(recorder.log == [])
  }

  @Test func `what a handler sends waits for the next piece of work`() {
    let (source, scheduler) = (Subject<Int>(), VirtualScheduler())
    let recorder = Recorder(
      source.signal.observe(on: scheduler).map { value in
        if value < 3 { source.send(value + 1) }
        return value
      })
    source.send(1)
    scheduler.schedule { #expect(recorder.values == [1]) }
    scheduler.advance(by: .zero)
    #expect(recorder.values == [1, 2, 3])
  }

  @Test func `on the immediate scheduler it changes nothing`() {
    let source = Subject<Int>()
    let recorder = Recorder(source.signal.observe(on: .immediate))
    source.send(1)
    source.send(progress: 0.5)
    #expect(recorder.log == ["next(1)", "progress(50%)"])
    source.complete()
    #expect(recorder.hasEnded)
  }

  @Test func `an endless synchronous source stops when a handler has had enough`() {
    let recorder = Recorder(Cold.endless.observe(on: .immediate).take(3))
    #expect(recorder.log == ["next(0)", "next(1)", "next(2)", "completed"])
  }
}
