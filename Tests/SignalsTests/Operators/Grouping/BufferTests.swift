import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct BufferTests {
  @Test func `values come in arrays of the count, and the rest at the completion`() {
    let source = Subject<Int>()
    let recorder = Recorder(source.signal.buffer(count: 2))
    for value in 1...5 { source.send(value) }
    #expect(recorder.values == [[1, 2], [3, 4]])
    source.complete()
    #expect(recorder.log == ["next([1, 2])", "next([3, 4])", "next([5])", "completed"])
    #expect(Recorder(Signal<Int>.empty.buffer(count: 2)).log == ["completed"])
  }

  @Test func `progress passes at once and is not counted`() {
    let source = Subject<Int>()
    let recorder = Recorder(source.signal.buffer(count: 2))
    source.send(1)
    source.send(progress: 0.5)
    source.send(2)
    #expect(recorder.log == ["progress(50%)", "next([1, 2])"])
  }

  @Test func `a failure drops the rest`() {
    let source = Subject<Int>()
    let recorder = Recorder(source.signal.buffer(count: 2))
    source.send(1)
    source.fail(Broken())
    #expect(recorder.log == ["failed(Broken())"])
  }

  @Test func `an array is sent when its time is up, counted from its first value`() {
    let scheduler = VirtualScheduler()
    let source = Subject<Int>()
    let recorder = Recorder(source.signal.buffer(count: 3, every: .seconds(2), on: scheduler))
    scheduler.advance(by: .seconds(5))
    #expect(scheduler.pendingCount == 0)
    source.send(1)
    scheduler.advance(by: .seconds(1))
    source.send(2)
    scheduler.advance(by: .milliseconds(999))
    #expect(recorder.values == [])
    scheduler.advance(by: .milliseconds(1))
    #expect(recorder.values == [[1, 2]])
    #expect(scheduler.pendingCount == 0)
    scheduler.advance(by: .seconds(5))
    #expect(recorder.values == [[1, 2]])
  }

  @Test func `a full array is sent at once, and its timer does not cut the next one short`() {
    let scheduler = VirtualScheduler()
    let source = Subject<Int>()
    let recorder = Recorder(source.signal.buffer(count: 2, every: .seconds(2), on: scheduler))
    source.send(1)
    scheduler.advance(by: .seconds(1))
    source.send(2)
    #expect(recorder.values == [[1, 2]])
    #expect(scheduler.pendingCount == 0)
    source.send(3)
    scheduler.advance(by: .seconds(1))
    #expect(recorder.values == [[1, 2]])
    scheduler.advance(by: .seconds(1))
    #expect(recorder.values == [[1, 2], [3]])
  }

  @Test func `without a count only time and the end make arrays`() {
    let scheduler = VirtualScheduler()
    let source = Subject<Int>()
    let recorder = Recorder(source.signal.buffer(every: .seconds(1), on: scheduler))
    for value in 0..<1000 { source.send(value) }
    scheduler.advance(by: .seconds(1))
    source.send(1000)
    source.complete()
    #expect(recorder.values == [Array(0..<1000), [1000]])
    #expect(recorder.hasEnded)
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `arrays of one leave no timer`() {
    let scheduler = VirtualScheduler()
    let source = Subject<Int>()
    let recorder = Recorder(source.signal.buffer(count: 1, every: .seconds(1), on: scheduler))
    source.send(1)
    #expect(recorder.values == [[1]])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `a disposal and a failure leave no timer and no source`() {
    for fails in [false, true] {
      let scheduler = VirtualScheduler()
      let stops = Lock(0)
      let subject = Subject<Int>()
      let source = Signal<Int> { observer in
        let subscription = subject.signal.subscribe(observer)
        return ActionDisposable {
          subscription.dispose()
          stops.withLock { $0 += 1 }
        }
      }
      let recorder = Recorder(source.buffer(count: 9, every: .seconds(1), on: scheduler))
      subject.send(1)
      #expect(scheduler.pendingCount == 1)
      if fails { subject.fail(Broken()) } else { recorder.subscription.dispose() }
      #expect(scheduler.pendingCount == 0)
      #expect(stops.withLock { $0 } == 1)
      #expect(recorder.log == (fails ? ["failed(Broken())"] : []))
    }
  }

  @Test func `a timer that is over is let go of, whatever it holds`() {
    // Keeps what it ran until it is disposed.
    struct KeepingScheduler: Scheduler {
      let base = VirtualScheduler()
      var now: Duration { base.now }
      func schedule(
        after delay: Duration, _ work: @escaping @Sendable () -> Void
      ) -> any Disposable {
        base.schedule(after: delay, work)
        return ActionDisposable { withExtendedLifetime(work) {} }
      }
    }
    final class Canary: Sendable {}
    weak var canary: Canary?
    let scheduler = KeepingScheduler()
    do {
      let (source, kept) = (Subject<Int>(), Canary())
      canary = kept
      source.signal.buffer(every: .seconds(1), on: scheduler).subscribe { _ in
        withExtendedLifetime(kept) {}
      }
      source.send(1)
      scheduler.base.advance(by: .seconds(1))
      #expect(canary != nil)
    }
    #expect(canary == nil)
  }

  @Test func `an endless source stops when the subscriber has enough`() {
    let recorder = Recorder(Cold.endless.buffer(count: 2).take(2))
    #expect(recorder.log == ["next([0, 1])", "next([2, 3])", "completed"])
  }

  @Test func `subscriptions share nothing, and values that a handler sends come later`() {
    let source = Subject<Int>()
    let signal = source.signal.buffer(count: 2)
    let first = Recorder(
      signal.map { values in
        if values.last == 2 { source.send(3) }
        return values
      })
    source.send(1)
    let second = Recorder(signal)
    source.send(2)
    source.send(4)
    #expect(first.values == [[1, 2], [3, 4]])
    #expect(second.values == [[2, 3]])
  }

  @Test func `no value is lost, doubled or moved while real timers race the sender`() async throws {
    let source = Signal<Int> { observer in
      onThread {
        for value in 0..<20_000 { observer.send(value) }
        observer.complete()
      }
      return nil
    }
    var values: [Int] = []
    for try await batch in source.buffer(count: 50, every: .microseconds(20)).values(buffer: .unbounded) {
      #expect(!batch.isEmpty && batch.count <= 50)
      values += batch
    }
    #expect(values == Array(0..<20_000))
  }
}
