import Signals
import SignalsTesting
import Testing

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
