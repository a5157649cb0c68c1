import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct TimeoutTests {
  let source = Subject<Int>()
  let scheduler = VirtualScheduler()

  private func recorder(_ sign: TimeoutSign) -> Recorder<Int> {
    Recorder(source.signal.timeout(.seconds(10), awaiting: sign, on: scheduler))
  }

  @Test func `silence fails it, by an error that names the time`() {
    let recorder = recorder(.any)
    scheduler.advance(by: .seconds(9))
    source.send(1)
    scheduler.advance(by: .seconds(9))
    source.send(progress: ProgressUpdate(message: "alive"))
    scheduler.advance(by: .seconds(9))
    #expect(recorder.log == ["next(1)", "progress(alive)"])
    scheduler.advance(by: .seconds(1))
    #expect(recorder.log.last == "failed(nothing came within 10.0 seconds)")
    guard case .failed(SignalError.timedOut(after: .seconds(10)))? = recorder.events.last else {
      Issue.record("\(recorder.log)")
      return
    }
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `of values only, progress is no sign of life, and passes`() {
    let recorder = recorder(.nextValue)
    scheduler.advance(by: .seconds(9))
    source.send(progress: 0.5)
    scheduler.advance(by: .seconds(1))
    #expect(recorder.log == ["progress(50%)", "failed(nothing came within 10.0 seconds)"])
  }

  @Test func `a number that stands still is no advance, one that moves is`() {
    let recorder = recorder(.advance)
    for percent in [1, 2, 3] {
      scheduler.advance(by: .seconds(9))
      source.send(progress: ProgressUpdate(fraction: Double(percent) / 100))
    }
    scheduler.advance(by: .seconds(9))
    #expect(!recorder.hasEnded)
    source.send(progress: 0.03)
    scheduler.advance(by: .seconds(1))
    #expect(recorder.hasEnded)
  }

  @Test func `it disposes the source before it fails, and a source in time is not touched`() {
    let log = Lock<[String]>([])
    let signal = Signal<Int> { _ in ActionDisposable { log.withLock { $0.append("stopped") } } }
    signal.timeout(.seconds(10), on: scheduler).subscribe(failed: { _ in
      log.withLock { $0.append("failed") }
    })
    scheduler.advance(by: .seconds(10))
    #expect(log.withLock { $0 } == ["stopped", "failed"])

    let recorder = recorder(.any)
    source.send(1)
    source.complete()
    #expect(recorder.log == ["next(1)", "completed"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `many signs cost one timer`() {
    let recorder = recorder(.any)
    for value in 0..<100 { source.send(value) }
    #expect(scheduler.pendingCount == 1)
    #expect(recorder.values.count == 100)
  }
}
