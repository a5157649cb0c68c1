import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct StressTests {
  @Test func `four senders are serialised into one order for all`() async {
    let subject = Subject<Int>()
    let recorders = [Recorder(subject.signal), Recorder(subject.signal.map { $0 })]
    // Not locked: the sanitizer sees it if two handlers ever run at once.
    let unguarded = Unguarded()
    subject.signal.subscribe { _ in unguarded.count += 1 }
    await onThreads(4) { thread in
      for step in 0..<2_000 { subject.send(thread * 10_000 + step) }
    }
    #expect(unguarded.count == 8_000)
    #expect(recorders[0].values.count == 8_000)
    #expect(recorders[0].values == recorders[1].values)
    for thread in 0..<4 {
      let own = recorders[0].values.filter { $0 / 10_000 == thread }
      #expect(own == own.sorted())
    }
  }

  @Test func `replay to live has no gap, no repeat and no inversion while senders race`() async {
    for _ in 0..<60 {
      let subject = Subject<Int>(replay: 4)
      let recorders = Lock<[Recorder<Int>]>([])
      await onThreads(2) { thread in
        if thread == 0 {
          for value in 0..<200 { subject.send(value) }
          subject.complete()
        } else {
          for _ in 0..<10 {
            let recorder = Recorder(subject.signal)
            recorders.withLock { $0.append(recorder) }
          }
        }
      }
      for recorder in recorders.withLock({ $0 }) {
        let first = recorder.values.first ?? 0
        #expect(recorder.values == Array(first..<200))
        #expect(recorder.hasEnded)
      }
    }
  }

  @Test func `many first subscribers start a shared source once`() async {
    for _ in 0..<300 {
      let running = Lock(0)
      let most = Lock(0)
      let starts = Lock(0)
      let shared = Signal<Int> { observer in
        starts.withLock { $0 += 1 }
        let now = running.withLock {
          $0 += 1; return $0
        }
        most.withLock { $0 = max($0, now) }
        observer.send(1)
        return ActionDisposable { running.withLock { $0 -= 1 } }
      }.shared(replay: 1)
      let keeper = Lock<[Subscription]>([])
      let received = Lock(0)
      await onThreads(4) { _ in
        let subscription = shared.subscribe { _ in received.withLock { $0 += 1 } }
        keeper.withLock { $0.append(subscription) }
      }
      #expect(starts.withLock { $0 } == 1)
      #expect(most.withLock { $0 } == 1)
      #expect(received.withLock { $0 } == 4)
      for subscription in keeper.withLock({ $0 }) { subscription.dispose() }
      #expect(running.withLock { $0 } == 0)
    }
  }

  @Test func `the last leaving races the first coming: runs never overlap and none is left over`() async {
    let running = Lock(0)
    let overlaps = Lock(0)
    let starts = Lock(0)
    let shared = Signal<Int> { observer in
      starts.withLock { $0 += 1 }
      if running.withLock({
        $0 += 1; return $0
      }) > 1 {
        overlaps.withLock { $0 += 1 }
      }
      observer.send(1)
      return ActionDisposable { running.withLock { $0 -= 1 } }
    }.shared(replay: 1)
    await onThreads(4) { _ in
      for _ in 0..<2_000 { shared.subscribe().dispose() }
    }
    // The stop runs on whichever thread was draining; all have returned.
    #expect(overlaps.withLock { $0 } == 0)
    #expect(running.withLock { $0 } == 0)
    #expect(starts.withLock { $0 } > 0)
  }

  @Test func `a terminal that races values is the last, and there is one`() async {
    for _ in 0..<300 {
      let merged = Subject<Int>()
      let other = Subject<Int>()
      let recorder = Recorder(merged.signal.merge(with: other.signal).take(until: other.signal))
      await onThreads(2) { thread in
        if thread == 0 { for value in 0..<100 { merged.send(value) } } else { other.send(-1) }
      }
      #expect(recorder.hasEnded)
      #expect(recorder.events.filter(\.isTerminal).count == 1)
    }
  }

  @Test func `subscribing and disposing race the sends`() async {
    let subject = Subject<Int>(replay: 1)
    let stable = Recorder(subject.signal)
    await onThreads(4) { thread in
      for step in 0..<2_000 {
        if thread == 0 {
          subject.send(step)
        } else {
          let subscription = subject.signal.map { $0 + 1 }.subscribe { _ in }
          subscription.dispose()
        }
      }
    }
    #expect(stable.values == Array(0..<2_000))
  }

  @Test func `two subjects whose handlers send into each other do not deadlock`() async {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    a.signal.subscribe { if $0 > 0 { b.send($0 - 1) } }
    b.signal.subscribe { if $0 > 0 { a.send($0 - 1) } }
    let (seenA, seenB) = (Recorder(a.signal), Recorder(b.signal))
    await onThreads(2) { thread in
      for _ in 0..<500 { (thread == 0 ? a : b).send(6) }
    }
    #expect(seenA.values.count + seenB.values.count == 7 * 1_000)
  }

  @Test func `a handler may wait for another thread that sends into the same subject`() async {
    let subject = Subject<Int>()
    let recorder = Recorder(subject.signal)
    subject.signal.subscribe { value in
      guard value == 1 else { return }
      let sent = BlockingGate()
      onThread {
        subject.send(2)
        sent.open()
      }
      sent.wait()
    }
    subject.send(1)
    #expect(recorder.values == [1, 2])
  }
}

private final class Unguarded: @unchecked Sendable {
  // Deliberately unsound: what the test is about.
  var count = 0
}
