import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct TransformingTests {
  @Test func `what tryMap's closure throws ends the source before it fails the signal`() {
    let log = Lock<[String]>([])
    let signal = Signal<Int> { observer in
      for value in 1...4 { observer.send(value) }
      observer.complete()
      return ActionDisposable { log.withLock { $0.append("stopped") } }
    }
    let recorder = Recorder(
      signal.tryMap { value in
        log.withLock { $0.append("\(value)") }
        if value == 2 { throw Broken() }
        return value
      })
    #expect(recorder.log == ["next(1)", "failed(Broken())"])
    #expect(log.withLock { $0 } == ["1", "2", "stopped"])
  }

  @Test func `a failed tryMap has let go of a source that is still there`() {
    let subject = Subject<Int>()
    let isStopped = Lock(false)
    let isStoppedAtFailure = Lock(false)
    Signal { observer in
      let subscription = subject.signal.subscribe(observer)
      return ActionDisposable {
        subscription.dispose()
        isStopped.withLock { $0 = true }
      }
    }
    .tryMap { _ in throw Broken() }
    .subscribe(failed: { _ in isStoppedAtFailure.withLock { $0 = isStopped.withLock { $0 } } })
    subject.send(1)
    #expect(isStoppedAtFailure.withLock { $0 })
  }

  @Test func `mapError changes the error and nothing else`() {
    struct Told: Error, CustomStringConvertible {
      let error: any Error
      var description: String { "told of \(error)" }
    }
    #expect(
      Recorder(Signal<Int>.failed(Broken()).mapError { Told(error: $0) }).log == ["failed(told of Broken())"])
    #expect(Recorder(Signal.just(1).mapError { Told(error: $0) }).log == ["next(1)", "completed"])
  }

  @Test func `reduce and collect of nothing are what they begin with`() {
    #expect(Recorder(Signal<Int>.empty.reduce(7, +)).log == ["next(7)", "completed"])
    #expect(Recorder(Signal<Int>.empty.collect()).log == ["next([])", "completed"])
    #expect(Recorder(Signal<Int>.empty.scan(7, +)).log == ["completed"])
  }

  @Test func `who is disposed by the sum gets no completion`() {
    let holder = Lock<Subscription?>(nil)
    let subject = Subject<Int>()
    let completions = Lock(0)
    let subscription = subject.signal.reduce(0, +).subscribe { _ in
      holder.withLock { $0 }?.dispose()
    } completed: {
      completions.withLock { $0 += 1 }
    }
    holder.withLock { $0 = subscription }
    subject.complete()
    #expect(completions.withLock { $0 } == 0)
  }

  @Test func `a terminal among the values of dematerialize stops its source first`() {
    let subject = Subject<Event<Int>>()
    let recorder = Recorder(subject.signal.dematerialize())
    subject.send(.next(1))
    subject.send(progress: 0.1)
    subject.send(.progress(0.5))
    subject.send(.completed)
    subject.send(.next(2))
    subject.fail(Broken())
    #expect(recorder.log == ["next(1)", "progress(10%)", "progress(50%)", "completed"])
  }

  @Test func `dematerialize takes the terminal of its source where none is among the values`() {
    #expect(Recorder(Signal.just(Event.next(1)).dematerialize()).log == ["next(1)", "completed"])
    #expect(Recorder(Signal<Event<Int>>.failed(Broken()).dematerialize()).log == ["failed(Broken())"])
  }

  @Test func `startWith sends before its source starts, and starts none that nobody needs`() {
    let log = Lock<[String]>([])
    let source = Signal<Int> { observer in
      log.withLock { $0.append("start") }
      observer.complete()
      return nil
    }
    let signal = source.startWith(1, 2).handleEvents(next: { value in log.withLock { $0.append("\(value)") } }
    )
    Recorder(signal).subscription.dispose()
    #expect(log.withLock { $0 } == ["1", "2", "start"])
    #expect(Recorder(source.startWith(1, 2).take(1)).log == ["next(1)", "completed"])
    #expect(Recorder(source.startWith(1, 2).take(2)).log == ["next(1)", "next(2)", "completed"])
    #expect(log.withLock { $0.count } == 3)
  }
}
