import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct FirstTests {
  /// A source that says when it starts, and counts its stops.
  private final class Source: Sendable {
    let started = AsyncGate()
    let stops = Lock(0)
    let observer = Lock<Observer<Int>?>(nil)

    var signal: Signal<Int> {
      Signal { [self] observer in
        self.observer.withLock { $0 = observer }
        started.open()
        return ActionDisposable { [self] in stops.withLock { $0 += 1 } }
      }
    }

    var emit: Observer<Int>? { observer.withLock { $0 } }
  }

  @Test func `it gives the first value, past progress, and disposes`() async throws {
    let source = Source()
    async let first = source.signal.first()
    await source.started.wait()
    source.emit?.send(progress: 0.5)
    source.emit?.send(1)
    source.emit?.send(2)
    #expect(try await first == 1)
    #expect(source.stops.withLock { $0 } == 1)
  }

  @Test func `a source for which it is too late already is not started`() async {
    let starts = CallCounter()
    let source = Signal<Int> { _ in
      starts.next()
      return nil
    }
    await #expect(throws: SignalError.timedOut(after: .zero)) {
      try await source.first(timeout: .zero, on: .immediate)
    }
    #expect(starts.count == 0)
  }

  @Test func `a source that sends at once and without an end is stopped after the first`() async throws {
    let sent = Lock(0)
    let endless = Signal<Int> { observer in
      while !observer.isDisposed {
        observer.send(
          sent.withLock {
            $0 += 1; return $0
          })
      }
      return nil
    }
    let time = VirtualScheduler()
    #expect(try await endless.first(timeout: .seconds(1), on: time) == 1)
    #expect(sent.withLock { $0 } == 1)
    #expect(time.pendingCount == 0)
  }

  @Test func `the error of the signal and a completion without a value are thrown`() async {
    let failing = Signal<Int> { observer in
      observer.fail(Broken())
      return nil
    }
    await #expect(throws: Broken.self) { try await failing.first() }
    await #expect(throws: SignalError.completedWithoutValue) { try await Signal<Int>.empty.first() }
  }

  @Test func `time that is up throws and disposes; progress doesn't extend it`() async throws {
    let source = Source()
    let time = VirtualScheduler()
    let first = Task { try await source.signal.first(timeout: .seconds(2), on: time) }
    await source.started.wait()
    time.advance(by: .seconds(1))
    source.emit?.send(progress: 0.5)
    time.advance(by: .seconds(1))
    await #expect(throws: SignalError.timedOut(after: .seconds(2))) { try await first.value }
    #expect(source.stops.withLock { $0 } == 1)
    #expect(time.pendingCount == 0)
  }

  @Test func `time that is up ends a source that never returns from its start`() async throws {
    let time = VirtualScheduler()
    let signal = Signal<Int> { observer in
      while !observer.isDisposed { time.advance(by: .seconds(1)) }
      return nil
    }
    await #expect(throws: SignalError.timedOut(after: .seconds(3))) {
      try await signal.first(timeout: .seconds(3), on: time)
    }
  }

  @Test func `the timer is gone after a value`() async throws {
    let source = Source()
    let time = VirtualScheduler()
    async let first = source.signal.first(timeout: .seconds(2), on: time)
    await source.started.wait()
    #expect(time.pendingCount == 1)
    source.emit?.send(1)
    #expect(try await first == 1)
    #expect(time.pendingCount == 0)
  }

  @Test func `cancelling the task throws, disposes and takes the timer away`() async throws {
    let source = Source()
    let time = VirtualScheduler()
    let task = Task { try await source.signal.first(timeout: .seconds(2), on: time) }
    await source.started.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(source.stops.withLock { $0 } == 1)
    #expect(time.pendingCount == 0)
  }

  @Test func `a task that was cancelled before subscribes to nothing`() async {
    let starts = Lock(0)
    let signal = Signal<Int> { _ in
      starts.withLock { $0 += 1 }
      return nil
    }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await signal.first()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(starts.withLock { $0 } == 0)
  }

  @Test func `it subscribes where it is called`() async throws {
    let signal = Signal<Bool> { observer in
      TestActor.shared.preconditionIsolated()
      observer.send(true)
      return nil
    }
    let first = try await Task { @TestActor in try await signal.first() }.value
    #expect(first)
  }

  @Test func `a value, a timeout and a cancellation that race leave nothing behind`() async {
    for round in 0..<500 {
      let time = VirtualScheduler()
      let source = Source()
      let task = Task { try await source.signal.first(timeout: .seconds(1), on: time) }
      if round.isMultiple(of: 2) { await source.started.wait() }
      await onThreads(3) { thread in
        switch thread {
        case 0: source.emit?.send(1)
        case 1: time.advance(by: .seconds(1))
        default: task.cancel()
        }
      }
      switch await task.result {
      case .success(let value): #expect(value == 1)
      case .failure(let error): #expect(error is CancellationError || error is SignalError)
      }
      #expect(time.pendingCount == 0)
      #expect(source.stops.withLock { $0 } == (source.emit == nil ? 0 : 1))
    }
  }
}
