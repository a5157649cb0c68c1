import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct RetryTests {
  /// Sends the number of the try, and then fails until try `successful`, which completes.
  private func flaky(until successful: Int, sends: Bool = true) -> (Signal<Int>, tries: @Sendable () -> Int) {
    let tries = CallCounter()
    let signal = Signal<Int> { observer in
      let number = tries.next()
      if sends { observer.send(number) }
      if number < successful { observer.fail(Broken()) } else { observer.complete() }
      return nil
    }
    return (signal, { tries.count })
  }

  @Test func `it tries again as often as it may, and passes the last failure on`() {
    #expect(Recorder(flaky(until: 3).0.retry(2)).log == ["next(1)", "next(2)", "next(3)", "completed"])
    #expect(Recorder(flaky(until: 9).0.retry(1)).log == ["next(1)", "next(2)", "failed(Broken())"])
    #expect(Recorder(flaky(until: 9).0.retry(0)).log == ["next(1)", "failed(Broken())"])
    #expect(Recorder(flaky(until: 4).0.retry(backoff: .none)).values == [1, 2, 3, 4])
  }

  @Test func `two subscriptions have a count each`() {
    let (signal, tries) = flaky(until: 99)
    let retried = signal.retry(2)
    #expect(Recorder(retried).values == [1, 2, 3])
    #expect(Recorder(retried).values == [4, 5, 6])
    #expect(tries() == 6)
  }

  @Test func `the delays follow the backoff, and begin again after a value`() {
    let scheduler = VirtualScheduler()
    let tries = Lock<[Duration]>([])
    let source = Signal<Int> { observer in
      let number = tries.withLock {
        $0.append(scheduler.now)
        return $0.count
      }
      if number == 4 { observer.send(number) }
      observer.fail(Broken())
      return nil
    }
    let backoff = Backoff(initial: .seconds(1), maximum: .seconds(5), jitter: 0)
    let recorder = Recorder(source.retry(6, backoff: backoff, on: scheduler))
    scheduler.advance(by: .seconds(100))
    // 1, 2 and 4 seconds; a value; 1, 2 and 4 again.
    #expect(tries.withLock { $0 } == [0, 1, 3, 7, 8, 10, 14].map { .seconds($0) })
    #expect(recorder.log == ["next(4)", "failed(Broken())"])
  }

  @Test func `disposal while it waits takes the timer away`() {
    let scheduler = VirtualScheduler()
    let (signal, tries) = flaky(until: 99)
    let recorder = Recorder(signal.retry(backoff: .constant(.seconds(1)), on: scheduler))
    scheduler.advance(by: .seconds(2))
    #expect(scheduler.pendingCount == 1)
    recorder.subscription.dispose()
    #expect(scheduler.pendingCount == 0)
    scheduler.advance(by: .seconds(9))
    #expect(tries() == 3)
  }

  @Test func `disposal while a try runs stops its source`() {
    let scheduler = VirtualScheduler()
    let source = Cold.values(7).concat(with: Signal.interval(.seconds(1), on: scheduler))
    let recorder = Recorder(source.retry(3, on: scheduler))
    scheduler.advance(by: .seconds(2))
    recorder.subscription.dispose()
    #expect(recorder.values == [7, 0, 1])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `the policy sees the error and the attempt`() {
    let scheduler = VirtualScheduler()
    let seen = Lock<[String]>([])
    let recorder = Recorder(
      flaky(until: 9, sends: false).0.retry(on: scheduler) { error, attempt in
        seen.withLock { $0.append("\(error) \(attempt)") }
        return attempt < 3 ? .seconds(attempt) : nil
      })
    scheduler.advance(by: .seconds(3))
    #expect(seen.withLock { $0 } == ["Broken() 1", "Broken() 2", "Broken() 3"])
    #expect(recorder.log == ["failed(Broken())"])
  }

  @Test func `endless retries of a signal that fails at once end behind take`() {
    #expect(Recorder(flaky(until: .max).0.retry(backoff: .none).take(3)).values == [1, 2, 3])
  }

  @Test func `each try has a higher attempt, and its fraction may start again`() {
    let tries = CallCounter()
    let source = Signal<Int> { observer in
      observer.send(progress: 0.25)
      observer.send(progress: 0.75)
      if tries.next() < 3 { observer.fail(Broken()) } else { observer.complete() }
      return nil
    }
    let recorder = Recorder(source.retry(5))
    #expect(recorder.progress.map(\.attempt) == [1, 1, 2, 2, 3, 3])
    #expect(recorder.progress.map(\.fraction) == [0.25, 0.75, 0.25, 0.75, 0.25, 0.75])
  }

  @Test func `a retry of a retry never counts an attempt twice`() {
    let source = Signal<Int> { observer in
      observer.send(progress: 0.5)
      observer.fail(Broken())
      return nil
    }
    let recorder = Recorder(source.retry(2).retry(1))
    #expect(recorder.progress.map(\.attempt) == [1, 2, 3, 4, 5, 6])
  }

  @Test func `a failure that comes later than the subscription is tried again too`() {
    let subjects = [Subject<Int>(), Subject<Int>()]
    let tries = CallCounter()
    let recorder = Recorder(Signal<Int> { subjects[tries.next() - 1].signal.subscribe($0) }.retry(1))
    subjects[0].send(1)
    subjects[0].fail(Broken())
    subjects[1].send(2)
    subjects[0].send(-1)
    subjects[1].complete()
    #expect(recorder.log == ["next(1)", "next(2)", "completed"])
  }

  @Test func `nothing is kept of a try that has failed while it waits for the next`() {
    let disposals = CallCounter()
    let scheduler = VirtualScheduler()
    // By hand: what it returns is disposed by nobody but the operator.
    let source = Signal<Int>.attaching { observer in
      observer.fail(Broken())
      return ActionDisposable { disposals.next() }
    }
    let recorder = Recorder(source.retry(1, backoff: .constant(.seconds(1)), on: scheduler))
    #expect(scheduler.pendingCount == 1 && disposals.count == 1)
    scheduler.advance(by: .seconds(1))
    #expect(recorder.log == ["failed(Broken())"] && disposals.count == 2)
  }
}
