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

@Suite(.timeLimit(.minutes(2))) struct MergeTests {
  @Test func `it completes with the last and fails with the first`() {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(a.signal.merge(with: b.signal))
    a.send(1)
    a.complete()
    b.send(2)
    #expect(!recorder.hasEnded)
    b.fail(Broken())
    #expect(recorder.log == ["next(1)", "next(2)", "failed(Broken())"])
    #expect(Recorder(Signal<Int>.merge([])).log == ["completed"])
  }

  @Test func `a failure disposes the others`() {
    let disposals = Lock(0)
    let endless = Signal<Int> { _ in ActionDisposable { disposals.withLock { $0 += 1 } } }
    let failing = Subject<Int>()
    let recorder = Recorder(endless.merge(with: failing.signal, endless))
    failing.fail(Broken())
    #expect(recorder.hasEnded)
    #expect(disposals.withLock { $0 } == 2)
  }

  @Test func `progress is the weighted mean of those that take part`() {
    let (a, b, c) = (Subject<Int>(), Subject<Int>(), Subject<Int>())
    let recorder = Recorder(Signal.merge([a.signal, b.signal, c.signal]))
    a.send(progress: 0.5)
    b.send(progress: ProgressUpdate(fraction: 1, weight: 3))
    a.complete()
    #expect(recorder.progress.map(\.fraction) == [0.5, 0.875, 1])
  }

  @Test func `progress never falls when a source joins late, but may in a new attempt`() {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(a.signal.merge(with: b.signal))
    a.send(progress: 0.8)
    b.send(progress: 0.0)
    #expect(recorder.progress.map(\.fraction) == [0.8, 0.8])
    b.send(progress: ProgressUpdate(fraction: 0.2, attempt: 2))
    #expect(recorder.progress.last?.fraction == 0.5)
    #expect(recorder.progress.last?.attempt == 2)
  }

  @Test func `progress of unknown size stays unknown`() {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(a.signal.merge(with: b.signal))
    a.send(progress: ProgressUpdate(message: "copying"))
    #expect(recorder.progress.last?.fraction == nil)
    #expect(recorder.progress.last?.message == "copying")
    b.send(progress: 0.5)
    #expect(recorder.progress.last?.fraction == 0.25)
  }
}

@Suite(.timeLimit(.minutes(2))) struct TimerTests {
  @Test func `it counts without drift, on virtual time`() {
    let scheduler = VirtualScheduler()
    let recorder = Recorder(Signal.interval(.seconds(2), on: scheduler))
    scheduler.advance(by: .milliseconds(1999))
    #expect(recorder.values == [])
    scheduler.advance(by: .milliseconds(1))
    #expect(recorder.values == [0])
    scheduler.advance(by: .seconds(7))
    #expect(recorder.values == [0, 1, 2, 3])
  }

  @Test func `disposal stops it and leaves nothing scheduled`() {
    let scheduler = VirtualScheduler()
    let recorder = Recorder(Signal.interval(.seconds(1), on: scheduler))
    scheduler.advance(by: .seconds(2))
    recorder.subscription.dispose()
    #expect(scheduler.pendingCount == 0)
    scheduler.advance(by: .seconds(10))
    #expect(recorder.values == [0, 1])
  }

  @Test func `disposal inside its handler stops it`() {
    let scheduler = VirtualScheduler()
    let stop = Subject<Void>()
    let recorder = Recorder(
      Signal.interval(.seconds(1), on: scheduler).map { count in
        if count == 1 { stop.send(()) }
        return count
      }.take(until: stop.signal))
    scheduler.advance(by: .seconds(5))
    #expect(recorder.log == ["next(0)", "completed"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `it ticks in real time`() async throws {
    let iterator = Signal.interval(.milliseconds(2)).values().makeAsyncIterator()
    for expected in 0..<3 { #expect(try await iterator.next() == expected) }
  }
}
