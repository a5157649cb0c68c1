import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct WithLatestTests {
  @Test func `each value goes with the latest of the other, and is dropped before there is one`() {
    let (taps, settings) = (Subject<Int>(), Subject<String>())
    let recorder = Recorder(taps.signal.withLatest(from: settings.signal).map { "\($0)\($1)" })
    taps.send(1)
    settings.send("a")
    settings.send("b")
    taps.send(2)
    taps.send(3)
    settings.send("c")
    taps.send(4)
    #expect(recorder.values == ["2b", "3b", "4c"])
  }

  @Test func `the completion of the other keeps its last value`() {
    let (source, other) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(source.signal.withLatest(from: other.signal))
    other.send(1)
    other.complete()
    source.send(2)
    source.complete()
    #expect(recorder.log == ["next((2, 1))", "completed"])
  }

  @Test func `only the progress of the source passes`() {
    let (source, other) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(source.signal.withLatest(from: other.signal))
    other.send(progress: 0.9)
    source.send(progress: 0.1)
    other.complete()
    source.send(progress: 0.2)
    #expect(recorder.log == ["progress(10%)", "progress(20%)"])
  }

  @Test func `a failure of either fails it and stops the other one`() {
    for failsOther in [false, true] {
      let stops = Lock(0)
      let silent = Signal<Int> { _ in ActionDisposable { stops.withLock { $0 += 1 } } }
      let failing = Subject<Int>()
      let signal =
        failsOther ? silent.withLatest(from: failing.signal) : failing.signal.withLatest(from: silent)
      let recorder = Recorder(signal)
      failing.fail(Broken())
      #expect(recorder.log == ["failed(Broken())"])
      #expect(stops.withLock { $0 } == 1)
    }
  }

  @Test func `the other is subscribed first, and its failure keeps the source from starting`() {
    let one = Signal<Int> { observer in
      observer.send(1)
      observer.complete()
      return nil
    }
    #expect(Recorder(one.withLatest(from: one)).log == ["next((1, 1))", "completed"])
    let starts = Lock(0)
    let counted = Signal<Int> { _ in
      starts.withLock { $0 += 1 }
      return nil
    }
    let broken = Signal<Int> { observer in
      observer.fail(Broken())
      return nil
    }
    #expect(Recorder(counted.withLatest(from: broken)).log == ["failed(Broken())"])
    #expect(starts.withLock { $0 } == 0)
  }

  @Test func `a disposal stops both, and subscriptions share nothing`() {
    let (source, other) = (Subject<Int>(), Subject<Int>())
    let signal = source.signal.withLatest(from: other.signal)
    let first = Recorder(signal)
    other.send(1)
    let second = Recorder(signal)
    source.send(2)
    first.subscription.dispose()
    source.send(3)
    #expect(first.log == ["next((2, 1))"])
    #expect(second.log == [])
  }

  @Test func `an endless source stops when the subscriber has enough`() {
    let endless = Signal<Int> { observer in
      while !observer.isDisposed { observer.send(1) }
      return nil
    }
    let other = Subject<Int>(replay: 1)
    other.send(7)
    let recorder = Recorder(endless.withLatest(from: other.signal).take(2))
    #expect(recorder.log == ["next((1, 7))", "next((1, 7))", "completed"])
  }

  @Test func `a value of the other that a handler sends counts from the next value on`() {
    let (source, other) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(
      source.signal.withLatest(from: other.signal).map { value, latest in
        if value < 2 {
          other.send(latest + 1)
          source.send(value + 1)
        }
        return [value, latest]
      })
    other.send(0)
    source.send(0)
    #expect(recorder.values == [[0, 0], [1, 1], [2, 2]])
  }

  @Test func `while a handler is slow, of the other's values only the newest waits`() {
    final class Token: Sendable {}
    let (source, other) = (Subject<Int>(), Subject<Token>())
    let newest = Token()
    let isGone = Lock(false)
    let recorder = Recorder(
      source.signal.withLatest(from: other.signal).map { value, token in
        if value == 0 {
          weak var older: Token?
          do {
            let sent = Token()
            older = sent
            other.send(sent)
          }
          let waits = older != nil
          other.send(newest)
          isGone.withLock { $0 = waits && older == nil }
        }
        return token === newest
      })
    other.send(Token())
    source.send(0)
    source.send(1)
    #expect(recorder.values == [false, true])
    #expect(isGone.withLock { $0 })
  }

  @Test func `a value of the other that gives way to a newer one is not released under a lock`() async {
    final class Disposer: Sendable {
      let subscription: Lock<Subscription?>
      init(_ subscription: Subscription?) { self.subscription = Lock(subscription) }
      // Comes in where the value waits.
      deinit { subscription.withLock { $0.take() }?.dispose() }
    }
    #expect(
      await endsInTime { _ in
        let (source, other) = (Subject<Int>(), Subject<Disposer>())
        let holder = Lock<Subscription?>(nil)
        let subscription = source.signal.withLatest(from: other.signal).subscribe { _ in
          other.send(Disposer(holder.withLock { $0 }))
          other.send(Disposer(nil))
        }
        holder.withLock { $0 = subscription }
        other.send(Disposer(nil))
        source.send(0)
      })
  }
}
