import Signals
import SignalsTesting
import Testing

/// A source that notices when two of its runs overlap.
private final class Exclusive: Sendable {
  private struct State {
    var running = 0
    var starts = 0
    var overlaps = 0
  }

  private let state = Lock(State())

  var running: Int { state.withLock { $0.running } }
  var starts: Int { state.withLock { $0.starts } }
  var overlaps: Int { state.withLock { $0.overlaps } }

  func enter() {
    state.withLock { state in
      state.starts += 1
      state.running += 1
      if state.running > 1 { state.overlaps += 1 }
    }
  }

  func leave() { state.withLock { $0.running -= 1 } }
}

@Suite(.timeLimit(.minutes(2))) struct ShareStressTests {
  @Test func `racing first subscribers get all of a run that one of them starts`() async {
    for _ in 0..<300 {
      let source = Exclusive()
      let shared = Signal<Int> { observer in
        source.enter()
        observer.send(1)
        observer.send(2)
        return ActionDisposable { source.leave() }
      }.shared(replay: 2)
      let recorders = Lock<[Recorder<Int>]>([])
      await onThreads(4) { _ in
        let recorder = Recorder(shared)
        recorders.withLock { $0.append(recorder) }
      }
      #expect(source.starts == 1)
      for recorder in recorders.withLock({ $0 }) {
        #expect(recorder.values == [1, 2])
        recorder.subscription.dispose()
      }
      #expect(source.running == 0)
    }
  }

  @Test(arguments: ["scheduled", "flattened"])
  func `starts on another thread race those who leave: runs never overlap and none is left over`(
    how: String
  ) async {
    let source = Exclusive()
    let slow = Signal<Int> { observer in
      source.enter()
      observer.send(1)
      return AsyncDisposable { source.leave() }
    }
    let queue = QueueScheduler(label: "starts")
    let shared =
      (how == "scheduled"
      ? slow.subscribe(on: queue) : Signal.timer(after: .zero, on: queue).flatMap { _ in slow })
      .shared()
    await onThreads(3) { _ in
      for _ in 0..<500 { shared.subscribe().dispose() }
    }
    // Comes after all who wait.
    let iterator = shared.values().makeAsyncIterator()
    #expect(await (try? iterator.next()) == 1)
    #expect(source.overlaps == 0)
    #expect(source.running == 1)
  }

  @Test func `everybody gets a value of a source that sends while it starts, however many come and go`() async
  {
    let shared = Cold.endless.shared()
    let received = CallCounter()
    await onThreads(3) { _ in
      for _ in 0..<1_000 {
        // Waits, so that its going races the coming of the others.
        let done = BlockingGate()
        shared.take(1).subscribe { _ in
          received.next()
          done.open()
        }
        if !done.wait(atMost: .seconds(30)) { return }
      }
    }
    #expect(received.count == 3_000)
  }

  @Test func `a run starts only when somebody is attached: what it sends at once is never lost`() async {
    let source = Exclusive()
    // Without a replay: who was not attached before the start misses it.
    let shared = Signal<Int> { observer in
      source.enter()
      observer.send(source.starts)
      observer.complete()
      return AsyncDisposable { source.leave() }
    }.shared()
    let received = Lock<Set<Int>>([])
    await onThreads(3) { _ in
      for _ in 0..<1_000 { shared.subscribe { run in received.withLock { _ = $0.insert(run) } } }
    }
    // Comes after all who wait.
    let iterator = shared.values().makeAsyncIterator()
    while await (try? iterator.next()) != nil {}
    let starts = source.starts
    #expect(received.withLock { $0 }.isSuperset(of: 1..<starts))
    #expect(starts > 1)
    #expect(source.overlaps == 0)
  }

  @Test(arguments: [Duration.zero, .microseconds(20)])
  func `the last leaving races the first coming, with a linger and stops that take time`(
    linger: Duration
  ) async {
    let source = Exclusive()
    let shared = Signal<Int> { observer in
      source.enter()
      observer.send(1)
      return AsyncDisposable {
        await Task.yield()
        source.leave()
      }
    }.shared(replay: 1, linger: linger)
    await onThreads(4) { thread in
      for step in 0..<1_000 {
        let subscription = shared.subscribe { _ in }
        if (step + thread) % 3 == 0 { shared.subscribe().dispose() }
        subscription.dispose()
        subscription.dispose()
      }
    }
    // A run that still stops, or lingers, is followed by this one or joined by it.
    let iterator = shared.values().makeAsyncIterator()
    let value = try? await iterator.next()
    #expect(value == 1)
    #expect(source.overlaps == 0)
    #expect(source.running == 1)
  }

  @Test func `with stops that take no time nothing is left over once all who came have left`() async {
    let source = Exclusive()
    let shared = Signal<Int> { observer in
      source.enter()
      observer.send(1)
      return ActionDisposable { source.leave() }
    }.shared(replay: 1)
    await onThreads(4) { _ in
      for _ in 0..<2_000 { shared.subscribe().dispose() }
    }
    // The stop runs on whichever thread was at it; all have returned.
    #expect(source.overlaps == 0)
    #expect(source.running == 0)
    #expect(source.starts > 0)
  }

  @Test func `a latch races subscribers: all get the end, and the source starts once`() async {
    for round in 0..<300 {
      let source = Exclusive()
      let emitter = Lock<Observer<Int>?>(nil)
      let shared = Signal<Int> { observer in
        source.enter()
        emitter.withLock { $0 = observer }
        return ActionDisposable { source.leave() }
      }.shared(replay: 1, onFailure: .latch, onCompletion: .latch)
      let keeper = Recorder(shared)
      let recorders = Lock([keeper])
      let emit = emitter.withLock { $0 }
      await onThreads(3) { thread in
        if thread == 0 {
          emit?.send(1)
          if round.isMultiple(of: 2) { emit?.complete() } else { emit?.fail(Broken()) }
        } else {
          for _ in 0..<10 {
            let recorder = Recorder(shared)
            recorders.withLock { $0.append(recorder) }
          }
        }
      }
      for recorder in recorders.withLock({ $0 }) {
        #expect(recorder.log == ["next(1)", round.isMultiple(of: 2) ? "completed" : "failed(Broken())"])
      }
      #expect(source.starts == 1)
      #expect(source.running == 0)
    }
  }

  @Test func `kept values race the fresh run: none comes twice, and none after a newer one`() async {
    for _ in 0..<200 {
      let emitter = Lock<Observer<Int>?>(nil)
      let counter = Lock(0)
      let shared = Signal<Int> { observer in
        emitter.withLock { $0 = observer }
        return nil
      }.shared(replay: 2, stale: .keep)
      let recorders = Lock<[Recorder<Int>]>([])
      await onThreads(3) { thread in
        for _ in 0..<20 {
          if thread == 0 {
            for _ in 0..<3 {
              let value = counter.withLock { counter in
                counter += 1
                return counter
              }
              emitter.withLock { $0 }?.send(value)
            }
          } else {
            let recorder = Recorder(shared)
            recorders.withLock { $0.append(recorder) }
            recorder.subscription.dispose()
          }
        }
      }
      for recorder in recorders.withLock({ $0 }) {
        let values = recorder.values
        #expect(zip(values, values.dropFirst()).allSatisfy(<))
      }
    }
  }
}
