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
