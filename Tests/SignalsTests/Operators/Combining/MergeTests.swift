import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct MergeTests {
  @Test func `a hundred thousand signals that end at once are merged in order`() {
    #if TSAN
      // There it costs seconds, and more tells no more.
      let count = 10_000
    #else
      let count = 100_000
    #endif
    let signals = (0..<count).map { number in
      Signal<Int> { observer in
        observer.send(number)
        observer.complete()
        return nil
      }
    }
    let recorder = Recorder(Signal.merge(signals))
    #expect(recorder.values == Array(0..<count))
    #expect(recorder.hasEnded)
  }

  @Test func `the progress of many costs little each`() {
    let subjects = (0..<20_000).map { _ in Subject<Int>() }
    let recorder = Recorder(Signal.merge(subjects.map(\.signal)))
    for subject in subjects { subject.send(progress: 0.5) }
    for subject in subjects { subject.complete() }
    #expect(recorder.progress.first?.fraction == 0.5)
    #expect(recorder.progress.last?.fraction == 1)
    #expect(recorder.hasEnded)
  }

  @Test func `after an early end no further signal is subscribed`() {
    let starts = Lock(0)
    let counted = Signal<Int> { observer in
      starts.withLock { $0 += 1 }
      observer.send(1)
      return nil
    }
    let failing = Signal<Int> { observer in
      observer.fail(Broken())
      return nil
    }
    #expect(Recorder(counted.merge(with: failing, counted)).log == ["next(1)", "failed(Broken())"])
    #expect(starts.withLock { $0 } == 1)
    #expect(Recorder(counted.merge(with: counted, counted).take(1)).log == ["next(1)", "completed"])
    #expect(starts.withLock { $0 } == 2)
  }

  @Test func `a signal that has completed is let go of while others run`() {
    let silent = Subject<Int>().signal
    let operators: [(Signal<Int>) -> Signal<Void>] = [
      { Signal.merge([$0, silent]).map { _ in } },
      { Signal.zip([$0, silent]).map { _ in } },
      { Signal.combineLatest([$0, silent]).map { _ in } },
      { silent.withLatest(from: $0).map { _ in } },
    ]
    for (index, apply) in operators.enumerated() {
      weak var source: ActionDisposable?
      let finishing = Subject<Int>()
      let subscription: Subscription
      do {
        let kept = ActionDisposable {}
        source = kept
        subscription = apply(
          .attaching { [weak kept] observer in
            finishing.signal.subscribe(observer)
            return kept
          }
        ).subscribe()
        withExtendedLifetime(kept) {}
      }
      finishing.send(1)
      #expect(source != nil, "\(index)")
      finishing.complete()
      #expect(source == nil, "\(index)")
      subscription.dispose()
    }
  }

  @Test func `while a handler is slow, only progress of the same signal gives way`() {
    let (a, b, c) = (Subject<Int>(), Subject<Int>(), Subject<Int>())
    let recorder = Recorder(
      a.signal.merge(with: b.signal, c.signal).map { value in
        if value == 1 {
          a.send(progress: 0.1)
          a.send(progress: 0.2)
          b.send(progress: 0.6)
          b.send(2)
          b.send(progress: 1.0)
        }
        return value
      })
    c.send(1)
    let fractions = recorder.progress.compactMap(\.fraction)
    #expect(recorder.values == [1, 2])
    #expect(fractions.map { ($0 * 100).rounded() } == [20, 40, 60])
  }

  @Test func `it completes with the last and fails with the first`() {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(a.signal.merge(with: b.signal))
    a.send(1)
    a.complete()
    b.send(2)
    #expect(!recorder.hasEnded)
    b.fail(Broken())
    #expect(recorder.log == ["next(1)", "next(2)", "failed(Broken())"])
    #expect(Recorder(Signal<Int>.merge([])).log == ["completed"])
  }

  @Test func `a failure disposes the others`() {
    let disposals = Lock(0)
    let endless = Signal<Int> { _ in ActionDisposable { disposals.withLock { $0 += 1 } } }
    let failing = Subject<Int>()
    let recorder = Recorder(endless.merge(with: failing.signal, endless))
    failing.fail(Broken())
    #expect(recorder.hasEnded)
    #expect(disposals.withLock { $0 } == 2)
  }

  @Test func `progress is the weighted mean of those that take part`() {
    let (a, b, c) = (Subject<Int>(), Subject<Int>(), Subject<Int>())
    let recorder = Recorder(Signal.merge([a.signal, b.signal, c.signal]))
    a.send(progress: 0.5)
    b.send(progress: ProgressUpdate(fraction: 1, weight: 3))
    a.complete()
    #expect(recorder.progress.map(\.fraction) == [0.5, 0.875, 1])
  }

  @Test func `progress never falls when a source joins late, but may in a new attempt`() {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(a.signal.merge(with: b.signal))
    a.send(progress: 0.8)
    b.send(progress: 0.0)
    #expect(recorder.progress.map(\.fraction) == [0.8, 0.8])
    b.send(progress: ProgressUpdate(fraction: 0.2, attempt: 2))
    #expect(recorder.progress.last?.fraction == 0.5)
    #expect(recorder.progress.last?.attempt == 2)
  }

  @Test func `progress of unknown size stays unknown`() {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(a.signal.merge(with: b.signal))
    a.send(progress: ProgressUpdate(message: "copying"))
    #expect(recorder.progress.last?.fraction == nil)
    #expect(recorder.progress.last?.message == "copying")
    b.send(progress: 0.5)
    #expect(recorder.progress.last?.fraction == 0.25)
  }

  @Test func `progress of two signals that takes turns does not pile up behind a slow handler`() {
    let (a, b, c) = (Subject<Int>(), Subject<Int>(), Subject<Int>())
    let recorder = Recorder(
      Signal.merge([a.signal, b.signal, c.signal]).map { value in
        for step in 1...1000 {
          a.send(progress: ProgressUpdate(fraction: Double(step) / 1000))
          b.send(progress: ProgressUpdate(fraction: Double(step) / 1000))
        }
        return value
      })
    c.send(1)
    #expect(recorder.values == [1])
    #expect(recorder.progress.map(\.fraction) == [1, 1])
  }

  @Test func `to dispose many that run costs little each`() {
    // Were each looked for among all, so many would take longer than the suite may.
    #if TSAN
      let count = 10_000
    #else
      let count = 100_000
    #endif
    let stops = CallCounter()
    let endless = Signal<Int> { _ in ActionDisposable { stops.next() } }
    let subscription = Signal.merge(Array(repeating: endless, count: count)).subscribe()
    subscription.dispose()
    #expect(stops.count == count)
  }
}
