import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct TakeForTests {
  @Test func `it passes all for a time, completes, and stops the source`() {
    let (source, scheduler) = (Subject<Int>(), VirtualScheduler())
    let recorder = Recorder(source.signal.take(for: .seconds(10), on: scheduler))
    source.send(1)
    source.send(progress: 0.5)
    scheduler.advance(by: .seconds(9))
    source.send(2)
    scheduler.advance(by: .seconds(1))
    source.send(3)
    #expect(recorder.log == ["next(1)", "progress(50%)", "next(2)", "completed"])

    let ending = Subject<Int>()
    let early = Recorder(ending.signal.take(for: .seconds(10), on: scheduler))
    ending.complete()
    #expect(early.log == ["completed"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `skipping for a time drops values only, and needs no timer`() {
    let (source, scheduler) = (Subject<Int>(), VirtualScheduler())
    let recorder = Recorder(source.signal.skip(for: .seconds(10), on: scheduler))
    scheduler.advance(by: .seconds(9))
    source.send(1)
    source.send(progress: 0.5)
    #expect(scheduler.pendingCount == 0)
    scheduler.advance(by: .seconds(1))
    source.send(2)
    source.complete()
    #expect(recorder.log == ["progress(50%)", "next(2)", "completed"])
  }
}
