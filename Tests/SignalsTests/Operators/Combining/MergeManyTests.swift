import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct MergeManyTests {
  @Test func `a hundred thousand signals that end at once are merged in order`() {
    let signals = (0..<100_000).map { number in
      Signal<Int> { observer in
        observer.send(number)
        observer.complete()
        return nil
      }
    }
    let recorder = Recorder(Signal.merge(signals))
    #expect(recorder.values == Array(0..<100_000))
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
    final class Canary: Sendable {}
    weak var canary: Canary?
    let finishing = Subject<Int>()
    let subscription: Subscription
    do {
      let kept = Canary()
      canary = kept
      let source = Signal<Int> { observer in
        let subscription = finishing.signal.subscribe(observer)
        return ActionDisposable {
          subscription.dispose()
          withExtendedLifetime(kept) {}
        }
      }
      subscription = Subject<Int>().signal.merge(with: source).subscribe { _ in }
    }
    #expect(canary != nil)
    finishing.complete()
    #expect(canary == nil)
    subscription.dispose()
  }

  @Test func `while a handler is slow, only progress of the same signal gives way`() {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(
      a.signal.merge(with: b.signal).map { value in
        if value == 1 {
          a.send(progress: 0.1)
          a.send(progress: 0.2)
          b.send(progress: 0.6)
          b.send(2)
          b.send(progress: 1.0)
        }
        return value
      })
    b.send(1)
    #expect(recorder.values == [1, 2])
    #expect(recorder.progress.map { Int((($0.fraction ?? -1) * 100).rounded()) } == [20, 40, 60])
  }
}
