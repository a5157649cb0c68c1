import Dispatch
import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct TimingStressTests {
  @Test func `four senders reach a scheduler in one order, one at a time, progress before the end`()
    async throws
  {
    let subject = Subject<Int>()
    let scheduler = QueueScheduler(label: "test")
    let unguarded = Unguarded()
    let direct = Recorder(subject.signal)
    let moved = subject.signal.observe(on: scheduler).map { value in
      unguarded.count += 1
      #expect(Schedulers.current as? QueueScheduler === scheduler)
      return value
    }
    let recorder = Recorder(moved)
    await onThreads(4) { thread in
      for step in 0..<2_000 {
        subject.send(thread * 10_000 + step)
        subject.send(progress: ProgressUpdate(done: Double(step)))
      }
    }
    subject.send(progress: 1.0)
    subject.complete()
    await recorder.subscription.drained()
    #expect(recorder.values == direct.values)
    #expect(recorder.values.count == 8_000)
    #expect(recorder.progress.last == 1.0)
    #expect(recorder.hasEnded)
    #expect(unguarded.count == 8_000)
  }

  @Test func `a disposal that races the delivery ends it, and all is released`() async {
    for round in 0..<200 {
      let subject = Subject<Int>()
      let count = Lock(0)
      let subscription = subject.signal.observe(on: .background).subscribe { _ in
        count.withLock { $0 += 1 }
      }
      await onThreads(2) { thread in
        if thread == 0 {
          for value in 0..<50 { subject.send(value) }
        } else {
          for _ in 0..<(round % 20) * 20 { _ = subject.isDisposed }
          subscription.dispose()
        }
      }
      await subscription.drained()
      let last = count.withLock { $0 }
      subject.send(1)
      await settle()
      #expect(count.withLock { $0 } == last)
    }
  }

  @Test func `a disposal on the scheduler's own thread is the last thing seen`() async {
    let scheduler = QueueScheduler(label: "test")
    for _ in 0..<100 {
      let subject = Subject<Int>()
      let unguarded = Unguarded()
      let subscription = subject.signal.observe(on: scheduler).subscribe { _ in unguarded.count += 1 }
      let disposed = AsyncGate()
      let atDisposal = Unguarded()
      await onThreads(2) { thread in
        if thread == 0 {
          for value in 0..<50 { subject.send(value) }
        } else {
          scheduler.schedule {
            subscription.dispose()
            atDisposal.count = unguarded.count
            scheduler.schedule { disposed.open() }
          }
        }
      }
      await disposed.wait()
      #expect(unguarded.count == atDisposal.count)
    }
  }

  @Test func `timers that race disposals and values never fire twice or after the end`() async {
    await withTaskGroup(of: Void.self) { group in
      for round in 0..<100 {
        group.addTask {
          let subject = Subject<Int>()
          let limited = [
            subject.signal.debounce(.microseconds(50)), subject.signal.throttle(.microseconds(50)),
            subject.signal.throttle(.microseconds(50), leading: false),
            subject.signal.sample(every: .microseconds(50)), subject.signal.delay(.microseconds(50)),
            subject.signal.sample(on: .interval(.microseconds(50))),
          ]
          let recorders = limited.map { Recorder($0) }
          await onThreads(2) { thread in
            for step in 0..<100 { subject.send(step * 2 + thread) }
            if round % 2 == 0, thread == 1 { for recorder in recorders { recorder.subscription.dispose() } }
          }
          subject.complete()
          for recorder in recorders {
            await recorder.subscription.drained()
            let values = recorder.values
            #expect(Set(values).count == values.count)
            for parity in 0...1 {
              let own = values.filter { $0 % 2 == parity }
              #expect(own == own.sorted())
            }
            #expect(recorder.hasEnded == (round % 2 == 1))
          }
          if round % 2 == 1 { #expect(recorders[4].values.count == 200) }
        }
      }
    }
  }

  @Test func `a timeout that races its signs ends once, by one or the other`() async {
    for _ in 0..<200 {
      let subject = Subject<Int>()
      let recorder = Recorder(subject.signal.timeout(.microseconds(200)).take(20))
      await onThreads(1) { _ in
        for value in 0..<20 { subject.send(value) }
      }
      await recorder.subscription.drained()
      #expect(recorder.events.filter(\.isTerminal).count == 1)
      #expect(recorder.hasEnded)
      if recorder.log.last == "completed" { #expect(recorder.values == Array(0..<20)) }
    }
  }

  @Test func `an interval of a short period never stops by itself`() async {
    for _ in 0..<50 {
      let recorder = Recorder(Signal.interval(.nanoseconds(1)).take(50))
      await recorder.subscription.drained()
      #expect(recorder.values == Array(0..<50))
    }
  }

  /// Returns when what is scheduled in the background has run.
  private func settle() async {
    let gate = AsyncGate()
    QueueScheduler.background.schedule { gate.open() }
    await gate.wait()
  }
}
