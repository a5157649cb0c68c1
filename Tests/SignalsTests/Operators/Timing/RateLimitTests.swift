import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct ThrottleTests {
  let source = Subject<Int>()
  let scheduler = VirtualScheduler()

  @Test func `the first value goes out at once, the last at the end of each period`() {
    let recorder = Recorder(source.signal.throttle(.seconds(10), on: scheduler))
    for value in 1...3 { source.send(value) }
    #expect(recorder.values == [1])
    scheduler.advance(by: .seconds(10))
    #expect(recorder.values == [1, 3])
    source.send(4)
    #expect(recorder.values == [1, 3])
    scheduler.advance(by: .seconds(10))
    #expect(recorder.values == [1, 3, 4])
    scheduler.advance(by: .seconds(10))
    source.send(5)
    #expect(recorder.values == [1, 3, 4, 5])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `only the first, or only the last of a period`() {
    let first = Recorder(source.signal.throttle(.seconds(10), trailing: false, on: scheduler))
    let last = Recorder(source.signal.throttle(.seconds(10), leading: false, on: scheduler))
    for value in 1...3 { source.send(value) }
    scheduler.advance(by: .seconds(10))
    #expect(first.values == [1])
    #expect(last.values == [3])
    source.send(4)
    #expect(first.values == [1, 4])
    #expect(last.values == [3])
    source.complete()
    #expect(first.log == ["next(1)", "next(4)", "completed"])
    #expect(last.log == ["next(3)", "next(4)", "completed"])
  }

  @Test func `progress is limited by itself, and is no value`() {
    let recorder = Recorder(source.signal.throttle(.seconds(10), trailing: false, on: scheduler))
    for percent in 1...3 { source.send(progress: ProgressUpdate(fraction: Double(percent) / 100)) }
    source.send(1)
    #expect(recorder.log == ["progress(1%)", "next(1)"])
    scheduler.advance(by: .seconds(10))
    #expect(recorder.log.last == "progress(3%)")
  }

  @Test(arguments: [true, false])
  func `what waits goes out before a completion; before a failure only the progress`(fails: Bool) {
    let limited: [Signal<Int>] = [
      source.signal.throttle(.seconds(10), on: scheduler),
      source.signal.debounce(.seconds(10), on: scheduler),
      source.signal.sample(every: .seconds(10), on: scheduler),
    ]
    let recorders = limited.map { Recorder($0) }
    source.send(progress: 0.1)
    source.send(1)
    source.send(2)
    source.send(progress: 0.2)
    if fails { source.fail(Broken()) } else { source.complete() }
    for recorder in recorders {
      let expected =
        fails ? ["progress(20%)", "failed(Broken())"] : ["next(2)", "progress(20%)", "completed"]
      #expect(Array(recorder.log.suffix(expected.count)) == expected)
      #expect(!fails || !recorder.values.contains(2))
    }
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `it fires once through take(1), with values from other threads`() async {
    for _ in 0..<50 {
      let source = Subject<Int>()
      let recorder = Recorder(source.signal.throttle(.milliseconds(1)).take(1))
      await onThreads(3) { thread in
        for step in 0..<50 { source.send(thread * 100 + step) }
      }
      #expect(recorder.values.count == 1)
      #expect(recorder.hasEnded)
    }
  }
}

@Suite(.timeLimit(.minutes(2))) struct DebounceTests {
  let source = Subject<Int>()
  let scheduler = VirtualScheduler()

  @Test func `a value goes out once no other has followed it for the period`() {
    let recorder = Recorder(source.signal.debounce(.seconds(10), on: scheduler))
    source.send(1)
    scheduler.advance(by: .seconds(9))
    source.send(2)
    scheduler.advance(by: .seconds(9))
    #expect(recorder.values == [])
    scheduler.advance(by: .seconds(1))
    #expect(recorder.values == [2])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `progress neither sends a value nor holds it up`() {
    let recorder = Recorder(source.signal.debounce(.seconds(10), on: scheduler))
    source.send(1)
    for percent in 1...9 {
      scheduler.advance(by: .seconds(1))
      source.send(progress: ProgressUpdate(fraction: Double(percent) / 100))
    }
    #expect(recorder.log == ["progress(1%)"])
    scheduler.advance(by: .seconds(1))
    #expect(recorder.log == ["progress(1%)", "next(1)"])
    scheduler.advance(by: .seconds(1))
    #expect(recorder.log == ["progress(1%)", "next(1)", "progress(9%)"])
  }

  @Test func `many values need one timer`() {
    let recorder = Recorder(source.signal.debounce(.seconds(10), on: scheduler))
    for value in 0..<100 { source.send(value) }
    #expect(scheduler.pendingCount == 1)
    scheduler.advance(by: .seconds(10))
    #expect(recorder.values == [99])
  }

  @Test func `two subscriptions to one pipeline share nothing`() {
    let (values, commands) = (Subject<Int>(), Subject<Int>())
    let pipeline = values.signal.merge(with: commands.signal).debounce(.seconds(10), on: scheduler)
    let first = Recorder(pipeline)
    values.send(1)
    scheduler.advance(by: .seconds(5))
    let second = Recorder(pipeline)
    scheduler.advance(by: .seconds(5))
    #expect(first.values == [1])
    #expect(second.values == [])
    values.send(2)
    first.subscription.dispose()
    scheduler.advance(by: .seconds(10))
    #expect(first.values == [1])
    #expect(second.values == [2])
  }
}

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
