import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct ZipTests {
  @Test func `values of different types are paired by their position`() {
    let (numbers, words, flags) = (Subject<Int>(), Subject<String>(), Subject<Bool>())
    let zipped = Signal.zip(numbers.signal, words.signal, flags.signal)
    let recorder = Recorder(zipped.map { "\($0) \($1) \($2)" })
    numbers.send(1)
    numbers.send(2)
    words.send("one")
    flags.send(true)
    words.send("two")
    flags.send(false)
    #expect(recorder.values == ["1 one true", "2 two false"])
  }

  @Test func `the method and the array do the same`() {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    let pairs = Recorder(a.signal.zip(with: b.signal))
    let rows = Recorder(Signal.zip([a.signal, b.signal]))
    a.send(1)
    b.send(2)
    #expect(pairs.log == ["next((1, 2))"])
    #expect(rows.log == ["next([1, 2])"])
    #expect(Recorder(Signal<Int>.zip([])).log == ["completed"])
  }

  @Test func `an optional value that is nil is a value`() {
    let (a, b) = (Subject<Int?>(), Subject<Int??>())
    let pairs = Recorder(a.signal.zip(with: b.signal))
    let latest = Recorder(a.signal.combineLatest(with: b.signal))
    a.send(nil)
    b.send(.some(nil))
    a.send(3)
    b.send(nil)
    #expect(pairs.log == ["next((nil, Optional(nil)))", "next((Optional(3), nil))"])
    #expect(latest.values.count == 3)
  }

  @Test func `values that wait are still used after their source has completed`() {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(a.signal.zip(with: b.signal))
    a.send(1)
    a.send(2)
    a.complete()
    b.send(3)
    #expect(!recorder.hasEnded)
    b.send(4)
    #expect(recorder.log == ["next((1, 3))", "next((2, 4))", "completed"])
  }

  @Test func `completion without values left and failure end it, and dispose the others`() {
    for end in ["completed", "failed(Broken())"] {
      let disposals = Lock(0)
      let endless = Signal<Int> { _ in ActionDisposable { disposals.withLock { $0 += 1 } } }
      let ending = Subject<String>()
      let recorder = Recorder(endless.zip(with: ending.signal, endless).map { "\($0)" })
      if end == "completed" { ending.complete() } else { ending.fail(Broken()) }
      #expect(recorder.log == [end])
      #expect(disposals.withLock { $0 } == 2)
    }
  }

  @Test func `progress is that of all, and full at the end`() {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(a.signal.zip(with: b.signal))
    a.send(progress: 0.5)
    b.send(progress: ProgressUpdate(fraction: 0.5, weight: 3))
    a.send(1)
    b.send(2)
    a.complete()
    #expect(
      recorder.log == [
        "progress(50%)", "progress(50%)", "next((1, 2))", "progress(62%)", "completed",
      ])
  }

  @Test func `what ends while the sources are subscribed keeps the rest from starting`() {
    let starts = Lock(0)
    let silent = Signal<Int> { _ in
      starts.withLock { $0 += 1 }
      return nil
    }
    #expect(Recorder(Signal.zip([.empty, silent])).log == ["completed"])
    #expect(Recorder(Signal.combineLatest([.empty, silent])).log == ["completed"])
    #expect(starts.withLock { $0 } == 0)
  }

  @Test func `each subscription pairs for itself`() {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    let zipped = a.signal.zip(with: b.signal)
    let first = Recorder(zipped)
    a.send(1)
    let second = Recorder(zipped)
    a.send(2)
    b.send(3)
    #expect(first.log == ["next((1, 3))"])
    #expect(second.log == ["next((2, 3))"])
    first.subscription.dispose()
    b.send(4)
    a.send(5)
    #expect(first.log == ["next((1, 3))"])
    #expect(second.log == ["next((2, 3))", "next((5, 4))"])
  }

  @Test func `an end by the subscriber stops a source that sends for ever`() {
    let endless = Signal<Int> { observer in
      while !observer.isDisposed { observer.send(1) }
      return nil
    }
    let ones = Signal<Int> { observer in
      for _ in 0..<10 { observer.send(1) }
      return nil
    }
    let recorder = Recorder(ones.zip(with: endless).take(3))
    #expect(recorder.log == Array(repeating: "next((1, 1))", count: 3) + ["completed"])
  }

  @Test func `a value that a handler sends waits for the handler`() {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(
      a.signal.zip(with: b.signal).map { left, right in
        if left < 3 {
          b.send(right + 1)
          a.send(left + 1)
        }
        return [left, right]
      })
    a.send(1)
    b.send(1)
    #expect(recorder.values == [[1, 1], [2, 2], [3, 3]])
  }
}
