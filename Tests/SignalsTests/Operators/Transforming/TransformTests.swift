import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct TransformTests {
  @Test func `an operator of one's own has a state for each subscription, and progress passes`() {
    let source = Subject<Int>()
    let pairs = source.signal.pairwise().map { "\($0)\($1)" }
    let first = Recorder(pairs)
    source.send(1)
    let second = Recorder(pairs)
    source.send(progress: 0.5)
    source.send(2)
    source.send(3)
    source.complete()
    #expect(first.log == ["progress(50%)", "next(12)", "next(23)", "completed"])
    #expect(second.log == ["progress(50%)", "next(23)", "completed"])
  }

  @Test func `it ends the source by an end of its own, once`() {
    let disposals = Lock(0)
    let emitter = Lock<Observer<Int>?>(nil)
    let source = Signal<Int> { observer in
      emitter.withLock { $0 = observer }
      return ActionDisposable { disposals.withLock { $0 += 1 } }
    }
    let recorder = Recorder(
      source.transform(()) { (_: inout Void, value, observer: Observer<Int>) in
        observer.send(value)
        if value == 2 { observer.complete() }
        observer.send(-value)
      })
    for value in 1...3 { emitter.withLock { $0 }?.send(value) }
    emitter.withLock { $0 }?.send(progress: 0.5)
    emitter.withLock { $0 }?.fail(Broken())
    #expect(recorder.log == ["next(1)", "next(-1)", "next(2)", "completed"])
    #expect(disposals.withLock { $0 } == 1)
  }

  @Test func `an endless source behind it stops when enough has come`() {
    #expect(
      Recorder(Signal.from(1...).pairwise().map { $0 + $1 }.take(2)).log == [
        "next(3)", "next(5)", "completed",
      ])
  }
}
