import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct FlatMapTests {
  private let all: [FlattenStrategy] = [.merge, .merge(max: 2), .concat, .latest, .exhaust]

  @Test func `it is spelled with a trailing closure, with and without a strategy`() {
    let source = Cold.values(1, 2)
    #expect(Recorder(source.flatMap { Cold.values($0, $0) }).values == [1, 1, 2, 2])
    #expect(Recorder(source.flatMap(.latest) { Cold.values($0, $0) }).values == [1, 1, 2, 2])
    #expect(Recorder(source.flatMap(.concat, expected: 2) { Cold.values($0) }).values == [1, 2])
    #expect(Recorder(source.flatMap { value in Cold.values("\(value)") }).values == ["1", "2"])
    #expect(Recorder(source.map { Cold.values($0) }.flatten()).values == [1, 2])
    #expect(Recorder(source.map { Cold.values($0) }.flatten(.merge(max: 3))).values == [1, 2])
  }

  @Test func `an outer signal without inner ones completes, and fails`() {
    for strategy in all {
      #expect(Recorder(Signal<Int>.empty.flatMap(strategy) { Cold.values($0) }).log == ["completed"])
      let outer = Subject<Int>()
      let recorder = Recorder(outer.signal.flatMap(strategy) { _ in Subject<Int>().signal })
      outer.send(1)
      outer.fail(Broken())
      #expect(recorder.log == ["failed(Broken())"])
    }
  }

  @Test func `two subscriptions share no state`() {
    let inner = Subject<Int>()
    let signal = Cold.values(1, 2).flatMap(.concat) { value in inner.signal.map { $0 + value * 10 }.take(1) }
    let recorders = [Recorder(signal), Recorder(signal)]
    inner.send(1)
    inner.send(2)
    for recorder in recorders { #expect(recorder.log == ["next(11)", "next(22)", "completed"]) }
  }

  @Test func `a queued value's signal is made only when its turn has come`() {
    let made = Lock<[Int]>([])
    let outer = Subject<Int>()
    let gate = Subject<Int>()
    let recorder = Recorder(
      outer.signal.flatMap(.concat) { value in
        made.withLock { $0.append(value) }
        return gate.signal.take(1)
      })
    for value in 1...3 { outer.send(value) }
    #expect(made.withLock { $0 } == [1])
    gate.send(0)
    #expect(made.withLock { $0 } == [1, 2])
    recorder.subscription.dispose()
    gate.send(0)
    #expect(made.withLock { $0 } == [1, 2])
  }

  @Test func `an endless synchronous inner signal ends behind take`() {
    for strategy in all {
      let recorder = Recorder(Cold.values(1, 2).flatMap(strategy) { _ in Cold.endless }.take(3))
      #expect(recorder.log == ["next(0)", "next(1)", "next(2)", "completed"], "\(strategy)")
    }
  }

  @Test func `an endless synchronous outer signal has its inner ones started between its values`() {
    for strategy in all {
      let recorder = Recorder(Cold.endless.flatMap(strategy) { Cold.values($0) }.take(3))
      #expect(recorder.log == ["next(0)", "next(1)", "next(2)", "completed"], "\(strategy)")
    }
  }

  @Test func `the latest of a synchronous inner signal and take(1) is a value and the end`() {
    let outer = Subject<Int>()
    let recorder = Recorder(outer.signal.flatMap(.latest) { Cold.values($0, $0) }.take(1))
    outer.send(7)
    #expect(recorder.log == ["next(7)", "completed"])
  }

  @Test func `disposing the latest of timers stops the outer and the inner one`() {
    let scheduler = VirtualScheduler()
    let recorder = Recorder(
      Signal.interval(.seconds(10), on: scheduler).flatMap(.latest) { outer in
        Signal.interval(.seconds(1), on: scheduler).map { outer * 100 + $0 }
      })
    scheduler.advance(by: .seconds(22))
    #expect(recorder.values == Array(0...8) + [100, 101])
    #expect(scheduler.pendingCount == 2)
    recorder.subscription.dispose()
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `the old signal is disposed before the next is made`() {
    let log = Lock<[String]>([])
    let outer = Subject<Int>()
    let signal = outer.signal.flatMap(.latest) { value in
      log.withLock { $0.append("make \(value)") }
      return Signal<Int> { observer in
        // From inside a handler of the outer signal: it waits until that has returned.
        if value == 1 { outer.send(2) }
        observer.send(value)
        log.withLock { $0.append("started \(value), disposed: \(observer.isDisposed)") }
        return ActionDisposable { log.withLock { $0.append("dispose \(value)") } }
      }
    }
    let recorder = Recorder(signal)
    outer.send(0)
    outer.send(1)
    #expect(recorder.values == [0, 1, 2])
    #expect(
      log.withLock { $0 } == [
        "make 0", "started 0, disposed: false", "dispose 0", "make 1", "started 1, disposed: false",
        "dispose 1",
        "make 2", "started 2, disposed: false",
      ])
  }

  @Test func `a value that is sent by a handler waits for that handler`() {
    let outer = Subject<Int>()
    let log = Lock<[String]>([])
    let subscription = outer.signal.flatMap { Cold.values($0, $0 + 1) }.subscribe { value in
      log.withLock { $0.append("begin \(value)") }
      if value == 1 { outer.send(10) }
      log.withLock { $0.append("end \(value)") }
    }
    outer.send(1)
    #expect(
      log.withLock { $0 } == [
        "begin 1", "end 1", "begin 2", "end 2", "begin 10", "end 10", "begin 11", "end 11",
      ])
    subscription.dispose()
  }

  @Test func `disposal inside a handler keeps queued signals from starting`() {
    let made = Lock(0)
    let subscription = Lock<Subscription?>(nil)
    let outer = Subject<Int>()
    let signal = outer.signal.flatMap(.merge(max: 1)) { value in
      made.withLock { $0 += 1 }
      return Cold.values(value)
    }
    let handle = signal.subscribe { _ in subscription.withLock { $0 }?.dispose() }
    subscription.withLock { $0 = handle }
    outer.send(1)
    outer.send(2)
    #expect(made.withLock { $0 } == 1)
  }

  @Test func `a value that comes after nobody listens any more makes no signal`() {
    for strategy in all {
      let made = CallCounter()
      let recorder = Recorder(
        Cold.values(1, 2, 3).flatMap(strategy) { value in
          made.next()
          return Cold.values(value)
        }.take(1))
      #expect(recorder.log == ["next(1)", "completed"])
      #expect(made.count == 1, "\(strategy)")
    }
  }

  @Test func `a signal that is replaced before its turn to start has come never starts`() {
    let outer = Lock<Observer<Int>?>(nil)
    let made = Lock<[Int]>([])
    let source = Signal<Int>.attaching { observer in
      outer.withLock { $0 = observer }
      return nil
    }
    let recorder = Recorder(
      source.flatMap(.latest) { value in
        made.withLock { $0.append(value) }
        // While 1 starts, as another thread may do it.
        let observer = outer.withLock { $0 }
        if value == 1 { for next in 2...4 { observer?.send(next) } }
        return Cold.values(value)
      })
    outer.withLock { $0 }?.send(1)
    #expect(made.withLock { $0 } == [1, 4])
    #expect(recorder.values == [4])
  }
}
