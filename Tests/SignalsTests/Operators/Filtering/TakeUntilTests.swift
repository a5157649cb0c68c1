import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct TakeUntilTests {
  @Test func `it passes all until the trigger, and releases both`() {
    let (source, trigger) = (Subject<Int>(), Subject<String>())
    let recorder = Recorder(source.signal.take(until: trigger.signal))
    source.send(1)
    source.send(progress: 0.5)
    trigger.send(progress: 0.9)
    source.send(2)
    trigger.send("now")
    source.send(3)
    #expect(recorder.log == ["next(1)", "progress(50%)", "next(2)", "completed"])
  }

  @Test func `a trigger that fired already keeps the source from starting`() {
    let trigger = Subject<Int>(replay: 1)
    trigger.send(1)
    let starts = Lock(0)
    let source = Signal<Int> { _ in
      starts.withLock { $0 += 1 }
      return nil
    }
    #expect(Recorder(source.take(until: trigger.signal)).log == ["completed"])
    #expect(starts.withLock { $0 } == 0)
  }

  @Test func `the end of the source and the failure of the trigger end it`() {
    let (source, trigger) = (Subject<Int>(), Subject<Int>())
    let first = Recorder(source.signal.take(until: trigger.signal))
    let second = Recorder(Subject<Int>().signal.take(until: trigger.signal))
    source.complete()
    #expect(first.log == ["completed"])
    trigger.fail(Broken())
    #expect(first.log == ["completed"])
    #expect(second.log == ["failed(Broken())"])
  }
}
