import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct SharePolicyTests {
  private let sensor = Sensor()
  private let time = VirtualScheduler()

  private func end(failing: Bool) {
    if failing { sensor.emit?.fail(Broken()) } else { sensor.emit?.complete() }
  }

  // MARK: Latch

  @Test(arguments: [true, false])
  func `who comes after a latched end gets the replay, the latest progress and the end`(failing: Bool) {
    let shared = sensor.signal.shared(replay: 2, onFailure: .latch, onCompletion: .latch)
    let first = Recorder(shared)
    for value in 1...3 { sensor.emit?.send(value) }
    sensor.emit?.send(progress: 0.5)
    end(failing: failing)
    let terminal = failing ? "failed(Broken())" : "completed"
    #expect(first.log == ["next(1)", "next(2)", "next(3)", "progress(50%)", terminal])
    for _ in 0..<2 { #expect(Recorder(shared).log == ["next(2)", "next(3)", "progress(50%)", terminal]) }
    #expect(sensor.history == ["start", "stop"])
  }

  @Test func `only the end that is to be latched is`() {
    let shared = sensor.signal.shared(replay: 1, onCompletion: .latch)
    shared.subscribe()
    sensor.emit?.fail(Broken())
    let second = Recorder(shared)
    sensor.emit?.send(2)
    sensor.emit?.complete()
    #expect(second.log == ["next(2)", "completed"])
    #expect(Recorder(shared).log == ["next(2)", "completed"])
    #expect(sensor.history == ["start", "stop", "start", "stop"])
  }

  @Test func `a handler that subscribes again at a latched end gets that end again`() {
    let shared = sensor.signal.shared(replay: 1, onFailure: .latch)
    let again = Lock<Recorder<Int>?>(nil)
    shared.subscribe(failed: { _ in
      let recorder = Recorder(shared)
      again.withLock { $0 = recorder }
    })
    sensor.emit?.send(1)
    sensor.emit?.fail(Broken())
    #expect(again.withLock { $0 }?.log == ["next(1)", "failed(Broken())"])
    #expect(sensor.history == ["start", "stop"])
  }

  @Test func `a source that ends while it starts can be latched`() {
    let starts = Lock(0)
    let shared = Signal<Int> { observer in
      starts.withLock { $0 += 1 }
      observer.send(1)
      observer.complete()
      return nil
    }.shared(replay: 1, linger: .seconds(1), onCompletion: .latch, on: time)
    for _ in 0..<3 { #expect(Recorder(shared).log == ["next(1)", "completed"]) }
    #expect(starts.withLock { $0 } == 1)
    #expect(time.pendingCount == 0)
  }

  @Test func `an end during the linger is latched, and the linger is over`() {
    let shared = sensor.signal.shared(replay: 1, linger: .seconds(5), onCompletion: .latch, on: time)
    let first = shared.subscribe()
    sensor.emit?.send(1)
    first.dispose()
    #expect(time.pendingCount == 1)
    sensor.emit?.complete()
    #expect(time.pendingCount == 0)
    #expect(Recorder(shared).log == ["next(1)", "completed"])
    #expect(sensor.history == ["start", "stop"])
  }

  @Test func `an end that comes after the last has left latches nothing`() {
    let shared = sensor.signal.shared(onFailure: .latch)
    let first = shared.subscribe()
    let old = sensor.emit
    first.dispose()
    old?.fail(Broken())
    #expect(Recorder(shared).log == [])
    #expect(sensor.history == ["start", "stop", "start"])
  }

  @Test func `who comes while a latched source takes its time to stop gets the end at once`() async {
    let (entered, release) = (AsyncGate(), AsyncGate())
    let emitter = Lock<Observer<Int>?>(nil)
    let shared = Signal<Int> { observer in
      emitter.withLock { $0 = observer }
      return AsyncDisposable {
        entered.open()
        await release.wait()
      }
    }.shared(replay: 1, onCompletion: .latch)
    shared.subscribe()
    let source = emitter.withLock { $0 }
    source?.send(1)
    source?.complete()
    await entered.wait()
    #expect(Recorder(shared).log == ["next(1)", "completed"])
    release.open()
  }

  // MARK: Stale

  @Test func `kept values come first, once, until the fresh run sends its own`() {
    let shared = sensor.signal.shared(replay: 2, stale: .keep, on: time)
    let first = shared.subscribe()
    for value in 1...3 { sensor.emit?.send(value) }
    sensor.emit?.send(progress: 0.9)
    first.dispose()
    time.advance(by: .seconds(1_000_000))
    let second = Recorder(shared)
    #expect(second.log == ["next(2)", "next(3)"])
    sensor.emit?.send(progress: 0.1)
    let third = Recorder(shared)
    #expect(third.log == ["next(2)", "next(3)", "progress(10%)"])
    sensor.emit?.send(4)
    #expect(Recorder(shared).log == ["next(4)", "progress(10%)"])
    #expect(second.log == ["next(2)", "next(3)", "progress(10%)", "next(4)"])
    #expect(third.values == [2, 3, 4])
    #expect(sensor.history == ["start", "stop", "start"])
  }

  @Test func `each kept value has its own age, and at the limit it still counts`() {
    let shared = sensor.signal.shared(replay: 2, stale: .keep(maxAge: .seconds(10)), on: time)
    let first = shared.subscribe()
    sensor.emit?.send(1)
    time.advance(by: .seconds(6))
    sensor.emit?.send(2)
    time.advance(by: .seconds(4))
    first.dispose()
    let second = Recorder(shared)
    #expect(second.values == [1, 2])
    time.advance(by: .milliseconds(1))
    #expect(Recorder(shared).values == [2])
    time.advance(by: .seconds(6))
    #expect(Recorder(shared).values == [])
  }

  @Test func `the values of a run that goes on are never too old, also during its linger`() {
    let shared = sensor.signal.shared(
      replay: 1, linger: .seconds(100), stale: .keep(maxAge: .seconds(10)), on: time)
    let first = shared.subscribe()
    sensor.emit?.send(1)
    time.advance(by: .seconds(60))
    #expect(Recorder(shared).values == [1])
    first.dispose()
    time.advance(by: .seconds(60))
    #expect(Recorder(shared).values == [1])
    #expect(sensor.history == ["start"])
  }

  @Test(arguments: [true, false])
  func `values are kept however the run ended, without its progress and its end`(failing: Bool) {
    let shared = sensor.signal.shared(replay: 1, stale: .keep)
    shared.subscribe()
    sensor.emit?.send(1)
    sensor.emit?.send(progress: 0.5)
    end(failing: failing)
    #expect(Recorder(shared).log == ["next(1)"])
  }

  @Test func `a run that sends nothing leaves the values of the one before it`() {
    let shared = sensor.signal.shared(replay: 1, stale: .keep)
    shared.subscribe()
    sensor.emit?.send(1)
    sensor.emit?.fail(Broken())
    let second = Recorder(shared)
    sensor.emit?.fail(Broken())
    #expect(second.log == ["next(1)", "failed(Broken())"])
    #expect(Recorder(shared).log == ["next(1)"])
  }

  @Test func `a latched run that sent nothing replays nothing of an earlier one`() {
    let shared = sensor.signal.shared(replay: 1, onCompletion: .latch, stale: .keep)
    let first = shared.subscribe()
    sensor.emit?.send(1)
    first.dispose()
    let second = Recorder(shared)
    sensor.emit?.complete()
    #expect(second.log == ["next(1)", "completed"])
    #expect(Recorder(shared).log == ["completed"])
  }

  @Test func `who is satisfied by kept values does not start the source`() {
    let shared = sensor.signal.shared(replay: 1, stale: .keep)
    let first = shared.subscribe()
    sensor.emit?.send(1)
    first.dispose()
    #expect(Recorder(shared.take(1)).log == ["next(1)", "completed"])
    #expect(sensor.history == ["start", "stop"])
    #expect(Recorder(shared).log == ["next(1)"])
    #expect(sensor.history == ["start", "stop", "start"])
  }

  // MARK: Attaching

  @Test func `who waits for the stop misses nothing that the next start sends`() async {
    let release = AsyncGate()
    let shared = Signal<Int> { observer in
      observer.send(1)
      observer.send(progress: 0.5)
      return AsyncDisposable { await release.wait() }
    }.shared()
    shared.subscribe().dispose()
    let received = Subject<String>(replay: 10)
    let progressed = AsyncGate()
    shared.subscribe {
      received.send("value \($0)")
    } progress: { _ in
      progressed.open()
    }
    release.open()
    await progressed.wait()
    #expect(Recorder(received.signal).values == ["value 1"])
  }

  @Test func `a start that fails gives every waiting observer the error, and the next one starts anew`() {
    let starts = Lock(0)
    let inStart = Subject<Void>()
    let shared = Signal<Int> { observer in
      starts.withLock { $0 += 1 }
      inStart.send(())
      observer.fail(Broken())
      return nil
    }.shared(replay: 1)
    let second = Lock<Recorder<Int>?>(nil)
    inStart.signal.take(1).subscribe { _ in
      let recorder = Recorder(shared)
      second.withLock { $0 = recorder }
    }
    let first = Recorder(shared)
    #expect(first.log == ["failed(Broken())"])
    #expect(second.withLock { $0 }?.log == ["failed(Broken())"])
    #expect(starts.withLock { $0 } == 1)
    shared.subscribe()
    #expect(starts.withLock { $0 } == 2)
  }

  @Test func `the shared signal and its handlers are released though the subscription is held`() {
    final class Canary: Sendable {}
    weak var start: Canary?
    weak var handler: Canary?
    let subscription: Subscription
    do {
      let (inStart, inHandler) = (Canary(), Canary())
      (start, handler) = (inStart, inHandler)
      let source = Subject<Int>()
      let shared = Signal<Int> { observer in
        withExtendedLifetime(inStart) { source.signal.subscribe(observer) }
      }.shared(replay: 1, onCompletion: .latch, stale: .keep)
      subscription = shared.subscribe { _ in withExtendedLifetime(inHandler) {} }
      source.complete()
    }
    #expect(start == nil)
    #expect(handler == nil)
    withExtendedLifetime(subscription) {}
  }
}
