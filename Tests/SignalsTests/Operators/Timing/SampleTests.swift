import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct SampleTests {
  let source = Subject<Int>()
  let scheduler = VirtualScheduler()

  @Test func `the latest goes out at the end of each period, on a grid from the subscription on`() {
    scheduler.advance(by: .seconds(3))
    let recorder = Recorder(source.signal.sample(every: .seconds(10), on: scheduler))
    scheduler.advance(by: .seconds(4))
    source.send(1)
    source.send(progress: 0.5)
    source.send(2)
    scheduler.advance(by: .seconds(5))
    #expect(recorder.log == [])
    scheduler.advance(by: .seconds(1))
    #expect(recorder.log == ["next(2)", "progress(50%)"])
    scheduler.advance(by: .seconds(25))
    #expect(scheduler.pendingCount == 0)
    source.send(3)
    scheduler.advance(by: .seconds(5))
    #expect(recorder.log == ["next(2)", "progress(50%)", "next(3)"])
  }

  @Test func `a trigger sends what has come since the last one, in its order`() {
    let trigger = Subject<String>()
    let recorder = Recorder(source.signal.sample(on: trigger.signal))
    trigger.send("nothing yet")
    source.send(1)
    source.send(progress: 0.5)
    trigger.send(progress: 0.1)
    #expect(recorder.log == [])
    trigger.send("now")
    trigger.send("again")
    #expect(recorder.log == ["next(1)", "progress(50%)"])
    source.send(progress: 0.6)
    source.send(2)
    trigger.send("now")
    #expect(recorder.log == ["next(1)", "progress(50%)", "progress(60%)", "next(2)"])
  }

  @Test func `a trigger's sample ends with the first of the two, after the last progress`() {
    for sourceEnds in [true, false] {
      let (source, trigger) = (Subject<Int>(), Subject<Int>())
      let recorder = Recorder(source.signal.sample(on: trigger.signal))
      source.send(1)
      source.send(progress: 0.5)
      (sourceEnds ? source : trigger).complete()
      #expect(recorder.log == ["progress(50%)", "completed"])
      let failing = Subject<Int>()
      let failed = Recorder(Subject<Int>().signal.sample(on: failing.signal))
      failing.fail(Broken())
      #expect(failed.log == ["failed(Broken())"])
    }
  }
}
