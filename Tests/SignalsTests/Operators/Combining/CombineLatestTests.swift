import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct CombineLatestTests {
  @Test func `each value brings a row once all have sent one`() {
    let (number, word, flag) = (Subject<Int>(), Subject<String>(), Subject<Bool>())
    let combined = Signal.combineLatest(number.signal, word.signal, flag.signal)
    let recorder = Recorder(combined.map { "\($0) \($1) \($2)" })
    number.send(1)
    number.send(2)
    word.send("a")
    #expect(recorder.log == [])
    flag.send(true)
    word.send("b")
    #expect(recorder.values == ["2 a true", "2 b true"])
  }

  @Test func `the method and the array do the same`() {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    let pairs = Recorder(a.signal.combineLatest(with: b.signal))
    let rows = Recorder(Signal.combineLatest([a.signal, b.signal]))
    a.send(1)
    b.send(2)
    #expect(pairs.log == ["next((1, 2))"])
    #expect(rows.log == ["next([1, 2])"])
    #expect(Recorder(Signal<Int>.combineLatest([])).log == ["completed"])
  }

  @Test func `it completes with the last, the value of one that has completed stays`() {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(a.signal.combineLatest(with: b.signal))
    a.send(1)
    a.complete()
    b.send(2)
    b.send(3)
    b.complete()
    #expect(recorder.log == ["next((1, 2))", "next((1, 3))", "completed"])
  }

  @Test func `a completion without a value and a failure end it, and dispose the others`() {
    for end in ["completed", "failed(Broken())"] {
      let disposals = Lock(0)
      let endless = Signal<Int> { observer in
        observer.send(1)
        return ActionDisposable { disposals.withLock { $0 += 1 } }
      }
      let ending = Subject<Int>()
      let recorder = Recorder(Signal.combineLatest([endless, ending.signal, endless]))
      if end == "completed" { ending.complete() } else { ending.fail(Broken()) }
      #expect(recorder.log == [end])
      #expect(disposals.withLock { $0 } == 2)
    }
  }

  @Test func `progress is that of all`() {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(a.signal.combineLatest(with: b.signal))
    a.send(1)
    b.send(2)
    a.send(progress: 0.5)
    b.send(progress: 0.5)
    a.complete()
    b.complete()
    #expect(
      recorder.log == [
        "next((1, 2))", "progress(50%)", "progress(50%)", "progress(75%)", "progress(100%)",
        "completed",
      ])
  }

  @Test func `each subscription combines for itself, and a disposal stops all its sources`() {
    let stops = Lock(0)
    let source = Signal<Int> { observer in
      observer.send(1)
      return ActionDisposable { stops.withLock { $0 += 1 } }
    }
    let other = Subject<Int>()
    let combined = source.combineLatest(with: other.signal)
    let first = Recorder(combined)
    other.send(2)
    let second = Recorder(combined)
    first.subscription.dispose()
    other.send(3)
    #expect(first.log == ["next((1, 2))"])
    #expect(second.log == ["next((1, 3))"])
    #expect(stops.withLock { $0 } == 1)
  }

  @Test func `a value that a handler sends comes after the row it handles`() {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(
      a.signal.combineLatest(with: b.signal).map { left, right in
        if right < 3 { b.send(right + 1) }
        return [left, right]
      })
    a.send(0)
    b.send(1)
    #expect(recorder.values == [[0, 1], [0, 2], [0, 3]])
  }

  @Test func `an end by the subscriber stops a source that sends for ever`() {
    let endless = Signal<Int> { observer in
      while !observer.isDisposed { observer.send(1) }
      return nil
    }
    let one = Signal<Int> { observer in
      observer.send(1)
      return nil
    }
    let recorder = Recorder(one.combineLatest(with: endless).take(2))
    #expect(recorder.log == ["next((1, 1))", "next((1, 1))", "completed"])
  }
}
