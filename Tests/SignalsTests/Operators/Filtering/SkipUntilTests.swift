import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct SkipUntilTests {
  @Test func `values pass from the trigger's first value on, progress from the beginning`() {
    let (source, trigger) = (Subject<Int>(), Subject<String>())
    let recorder = Recorder(source.signal.skip(until: trigger.signal))
    source.send(1)
    source.send(progress: 0.1)
    trigger.send(progress: 0.9)
    source.send(2)
    trigger.send("now")
    source.send(3)
    // It is over: what comes of it counts no more.
    trigger.fail(Broken())
    source.send(4)
    source.complete()
    #expect(recorder.log == ["progress(10%)", "next(3)", "next(4)", "completed"])
  }

  @Test func `a trigger that completes without a value keeps it shut, and one that fails fails it`() {
    let (source, trigger) = (Subject<Int>(), Subject<Int>())
    let shut = Recorder(source.signal.skip(until: Signal<Int>.empty))
    let failing = Recorder(source.signal.skip(until: trigger.signal))
    source.send(1)
    trigger.fail(Broken())
    source.send(progress: 0.5)
    source.complete()
    #expect(shut.log == ["progress(50%)", "completed"])
    #expect(failing.log == ["failed(Broken())"])
  }

  @Test func `the trigger is stopped by its first value, the source is not`() {
    let log = Lock<[String]>([])
    let (source, trigger) = (Subject<Int>(), Subject<Int>())
    func logging(_ subject: Subject<Int>, _ name: String) -> Signal<Int> {
      Signal { observer in
        let subscription = subject.signal.subscribe(observer)
        return ActionDisposable {
          subscription.dispose()
          log.withLock { $0.append(name) }
        }
      }
    }
    let recorder = Recorder(logging(source, "source").skip(until: logging(trigger, "trigger")))
    trigger.send(1)
    #expect(log.withLock { $0 } == ["trigger"])
    recorder.subscription.dispose()
    #expect(log.withLock { $0 } == ["trigger", "source"])
  }

  @Test func `the end of the source stops the trigger`() {
    let stops = Lock(0)
    let trigger = Signal<Int> { _ in ActionDisposable { stops.withLock { $0 += 1 } } }
    #expect(Recorder(Signal.just(1).skip(until: trigger)).log == ["completed"])
    #expect(stops.withLock { $0 } == 1)
  }

  @Test func `an endless trigger that sends while it starts lets the source start`() {
    #expect(Recorder(Signal.just(1).skip(until: Cold.endless)).log == ["next(1)", "completed"])
  }

  @Test func `values that race the trigger pass from some point on, without a gap`() async {
    for _ in 0..<200 {
      let (source, trigger) = (Subject<Int>(), Subject<Int>())
      let recorder = Recorder(source.signal.skip(until: trigger.signal))
      await onThreads(2) { thread in
        if thread == 0 { for value in 0..<100 { source.send(value) } } else { trigger.send(1) }
      }
      let first = recorder.values.first ?? 100
      #expect(recorder.values == Array(first..<100))
      source.send(100)
      #expect(recorder.values.last == 100)
    }
  }
}
