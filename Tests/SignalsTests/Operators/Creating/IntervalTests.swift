import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct IntervalTests {
  @Test func `a timer sends once and completes`() {
    let scheduler = VirtualScheduler()
    let recorder = Recorder(Signal.timer(after: .seconds(2), on: scheduler))
    scheduler.advance(by: .milliseconds(1999))
    #expect(recorder.log == [])
    scheduler.advance(by: .milliseconds(1))
    #expect(recorder.log == ["next(())", "completed"])
    #expect(scheduler.pendingCount == 0)
    Recorder(Signal.timer(after: .seconds(2), on: scheduler)).subscription.dispose()
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `ticks that a slow handler missed come as one, and the grid stays`() {
    let scheduler = LateScheduler()
    let times = Lock<[Duration]>([])
    let subscription = Signal.interval(.seconds(2), on: scheduler).subscribe { count in
      times.withLock { $0.append(scheduler.now) }
      // Time goes by while the handler runs: 2 s to 9 s.
      if count == 0 { scheduler.lose(.seconds(7)) }
    }
    scheduler.base.advance(by: .seconds(7))
    #expect(times.withLock { $0 } == [.seconds(2), .seconds(9), .seconds(10), .seconds(12), .seconds(14)])
    subscription.dispose()
    #expect(scheduler.base.pendingCount == 0)
  }

  @Test func `disposal inside the handler of a tick leaves nothing scheduled`() {
    let scheduler = VirtualScheduler()
    let own = Lock<Subscription?>(nil)
    let count = Lock(0)
    let subscription = Signal.interval(.seconds(1), on: scheduler).subscribe { _ in
      count.withLock { $0 += 1 }
      own.withLock { $0 }?.dispose()
    }
    own.withLock { $0 = subscription }
    scheduler.advance(by: .seconds(5))
    #expect(count.withLock { $0 } == 1)
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `two subscriptions count for themselves`() {
    let scheduler = VirtualScheduler()
    let signal = Signal.interval(.seconds(2), on: scheduler)
    let first = Recorder(signal)
    scheduler.advance(by: .seconds(3))
    let second = Recorder(signal)
    scheduler.advance(by: .seconds(2))
    #expect(first.values == [0, 1])
    #expect(second.values == [0])
  }

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
