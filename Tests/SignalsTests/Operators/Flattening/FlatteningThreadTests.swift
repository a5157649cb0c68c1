import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct FlatteningThreadTests {
  @Test(arguments: [.merge, .merge(max: 2), .concat] as [FlattenStrategy])
  func `inner signals that end on another thread while the outer one sends lose and repeat nothing`(
    strategy: FlattenStrategy
  ) async {
    let rounds = 2_000
    let (outer, running) = (Subject<Int>(), Subject<Subject<Int>>())
    let received = Unguarded()
    let recorder = Recorder(
      outer.signal.flatMap(strategy) { value in
        Signal<Int> { observer in
          let inner = Subject<Int>()
          let subscription = inner.signal.subscribe(observer)
          observer.send(value)
          running.send(inner)
          return subscription
        }
      }.map { value in
        received.count += 1
        return value
      })
    // One thread ends what the other starts.
    let waiting = Lock<[Subject<Int>]>([])
    running.signal.subscribe { inner in waiting.withLock { $0.append(inner) } }
    await onThreads(2) { thread in
      if thread == 0 {
        for value in 0..<rounds { outer.send(value) }
        outer.complete()
      } else {
        var ended = 0
        while ended < rounds {
          for inner in waiting.withLock({ waiting in
            defer { waiting = [] }
            return waiting
          }) {
            inner.complete()
            ended += 1
          }
        }
      }
    }
    #expect(received.count == rounds)
    #expect(recorder.hasEnded)
    #expect(strategy == .concat ? recorder.values == Array(0..<rounds) : Set(recorder.values).count == rounds)
  }

  @Test func `of the latest at most one runs, however the threads meet, and none after the disposal`() async {
    for _ in 0..<50 {
      let outer = Subject<Int>()
      let other = Subject<Int>()
      let running = Lock(0)
      let recorder = Recorder(
        outer.signal.flatMap(.latest) { value in
          Signal<Int> { observer in
            running.withLock { $0 += 1 }
            let subscription = other.signal.map { value * 1_000 + $0 }.subscribe(observer)
            return CompoundDisposable([subscription, ActionDisposable { running.withLock { $0 -= 1 } }])
          }
        })
      await onThreads(3) { thread in
        for step in 0..<200 { if thread == 0 { outer.send(step) } else { other.send(step) } }
      }
      #expect(running.withLock { $0 } == 1)
      let before = recorder.values.count
      other.send(999)
      #expect(recorder.values.dropFirst(before) == [199_999])
      #expect(recorder.values.map { $0 / 1_000 } == recorder.values.map { $0 / 1_000 }.sorted())
      recorder.subscription.dispose()
      #expect(running.withLock { $0 } == 0)
    }
  }

  @Test func `an endless synchronous signal that another thread replaces sees that nobody listens`() async {
    let (outer, slow) = (Subject<Int>(), Subject<Int>())
    let (isSlow, goOn, isEndless) = (BlockingGate(), BlockingGate(), BlockingGate())
    let recorder = Recorder(
      outer.signal.flatMap(.latest) { value in
        switch value {
        case 0: slow.signal
        case 1:
          Signal<Int> { observer in
            isEndless.open()
            while !observer.isDisposed {}
            return nil
          }
        default: Cold.values(value)
        }
      }.map { value in
        guard value == 0 else { return value }
        isSlow.open()
        goOn.wait()
        return value
      })
    outer.send(0)
    await onThreads(2) { thread in
      if thread == 0 {
        // Delivers 0, and is then the one who starts what the other thread sent.
        slow.send(0)
      } else {
        isSlow.wait()
        outer.send(1)
        goOn.open()
        isEndless.wait()
        outer.send(2)
      }
    }
    #expect(recorder.values == [0, 2])
  }

  @Test func `disposal races with retries that fail at once, and ends them`() async {
    for _ in 0..<50 {
      let handle = Lock<Subscription?>(nil)
      let tries = CallCounter()
      let isRunning = BlockingGate()
      let first = Subject<Int>()
      let source = Signal<Int> { observer in
        if tries.next() == 1 { return first.signal.subscribe(observer) }
        if tries.count == 100 { isRunning.open() }
        observer.fail(Broken())
        return nil
      }
      let subscription = source.retry(backoff: .none).subscribe { _ in }
      handle.withLock { $0 = subscription }
      await onThreads(2) { thread in
        if thread == 0 {
          first.fail(Broken())
        } else {
          isRunning.wait()
          handle.withLock { $0 }?.dispose()
        }
      }
      await subscription.drained()
      #expect(tries.count >= 100)
    }
  }
}
