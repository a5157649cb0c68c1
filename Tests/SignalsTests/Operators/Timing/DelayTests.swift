import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct DelayTests {
  let source = Subject<Int>()
  let scheduler = VirtualScheduler()

  @Test(arguments: [true, false])
  func `everything comes later by the same time, the end too`(fails: Bool) {
    let recorder = Recorder(source.signal.delay(.seconds(10), on: scheduler))
    source.send(1)
    scheduler.advance(by: .seconds(4))
    source.send(progress: 0.5)
    source.send(2)
    scheduler.advance(by: .seconds(4))
    if fails { source.fail(Broken()) } else { source.complete() }
    #expect(recorder.log == [])
    scheduler.advance(by: .seconds(2))
    #expect(recorder.log == ["next(1)"])
    scheduler.advance(by: .seconds(4))
    #expect(recorder.log == ["next(1)", "progress(50%)", "next(2)"])
    #expect(scheduler.pendingCount == 1)
    scheduler.advance(by: .seconds(4))
    #expect(recorder.log.last == (fails ? "failed(Broken())" : "completed"))
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `of progress that is due at once only the last goes out, and steady progress never starves`() {
    let recorder = Recorder(source.signal.delay(.seconds(10), on: scheduler))
    source.send(progress: 0.1)
    source.send(progress: 0.2)
    for step in 3...6 {
      scheduler.advance(by: .seconds(5))
      source.send(progress: ProgressUpdate(done: Double(step)))
    }
    #expect(recorder.log == ["progress(20%)", "progress(3)", "progress(4)"])
  }

  @Test func `what a handler sends is delayed again`() {
    let recorder = Recorder(
      source.signal.delay(.seconds(1), on: scheduler).map { value in
        if value < 3 { source.send(value + 1) }
        return value
      })
    source.send(1)
    scheduler.advance(by: .seconds(2))
    #expect(recorder.values == [1, 2])
    scheduler.advance(by: .seconds(1))
    #expect(recorder.values == [1, 2, 3])
  }

  @Test func `a disposal drops what waits`() {
    let recorder = Recorder(source.signal.delay(.seconds(1), on: scheduler))
    source.send(1)
    recorder.subscription.dispose()
    #expect(scheduler.pendingCount == 0)
    scheduler.advance(by: .seconds(1))
    #expect(recorder.log == [])
  }

  @Test func `a source that has ended is let go of at once`() {
    let stops = Lock(0)
    let source = Signal<Int>.attaching { observer in
      observer.complete()
      return ActionDisposable { stops.withLock { $0 += 1 } }
    }
    let recorder = Recorder(source.delay(.seconds(1), on: scheduler))
    #expect(stops.withLock { $0 } == 1)
    scheduler.advance(by: .seconds(1))
    #expect(recorder.log == ["completed"])
  }

  @Test func `a source that is gone loses nothing that it sent`() {
    let recorder: Recorder<Int>
    do {
      let passing = Subject<Int>()
      recorder = Recorder(passing.signal.delay(.seconds(1), on: scheduler))
      passing.send(1)
    }
    scheduler.advance(by: .seconds(1))
    #expect(recorder.values == [1])
  }
}
