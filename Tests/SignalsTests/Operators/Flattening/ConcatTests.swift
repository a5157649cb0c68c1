import Signals
import SignalsTesting
import Testing

@Suite struct ConcatTests {
  @Test func `it runs one after the other, and completes with the last`() {
    let (first, second) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(first.signal.concat(with: second.signal, Cold.values(5)))
    second.send(-1)
    first.send(1)
    first.complete()
    second.send(2)
    second.complete()
    #expect(recorder.log == ["next(1)", "next(2)", "next(5)", "completed"])
    #expect(Recorder(Signal<Int>.concat([])).log == ["completed"])
  }

  @Test func `a failure ends it, and the rest is never subscribed`() {
    let starts = Lock(0)
    let counted = Signal<Int> { _ in
      starts.withLock { $0 += 1 }
      return nil
    }
    #expect(
      Recorder(.concat([Cold.values(1), Cold.failure(), counted])).log == ["next(1)", "failed(Broken())"])
    #expect(Recorder(.concat([Cold.endless, counted]).take(1)).log == ["next(0)", "completed"])
    #expect(starts.withLock { $0 } == 0)
  }

  @Test func `disposal stops the current one and starts no other`() {
    let scheduler = VirtualScheduler()
    let timer = Signal.interval(.seconds(1), on: scheduler)
    let recorder = Recorder(timer.take(1).concat(with: timer, timer))
    scheduler.advance(by: .seconds(3))
    recorder.subscription.dispose()
    #expect(recorder.values == [0, 0, 1])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `progress is the finished ones plus the current one's share`() {
    let recorder = Recorder(
      Signal.concat([
        Cold.progress(0.5), Cold.values(1), Cold.progress(ProgressUpdate(fraction: 0.5, phase: "c")),
      ]))
    #expect(recorder.progress.map { $0.fraction.map { ($0 * 6).rounded() } } == [1, 2, 4, 5, 6])
    #expect(recorder.progress[3].phase == "c")
  }

  @Test func `a heavier stage has the larger share`() {
    let heavy = ProgressUpdate(fraction: 0.5, weight: 3)
    let recorder = Recorder(Signal.concat([Cold.progress(heavy), Cold.progress(0.5)]))
    #expect(recorder.progress.map(\.fraction) == [0.375, 0.75, 0.875, 1])
  }

  @Test func `signals without progress get none`() {
    #expect(
      Recorder(Signal.concat([Cold.values(1), Cold.values(2)])).log == ["next(1)", "next(2)", "completed"])
  }
}
