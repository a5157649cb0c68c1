import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct SimpleSourcesTests {
  @Test func `they send what they say`() {
    #expect(Recorder(Signal.just(1)).log == ["next(1)", "completed"])
    #expect(Recorder(Signal.just(1, 2)).log == ["next(1)", "next(2)", "completed"])
    #expect(Recorder(Signal<Int>.empty).log == ["completed"])
    #expect(Recorder(Signal<Int>.never).log == [])
    #expect(Recorder(Signal<Int>.failed(Broken())).log == ["failed(Broken())"])
    #expect(Recorder(Signal.from(1...3)).log == ["next(1)", "next(2)", "next(3)", "completed"])
    #expect(Recorder(Signal.from([Int]())).log == ["completed"])
  }

  @Test func `an array is one value to just, and many to from`() {
    #expect(Recorder(Signal.just([1, 2])).values == [[1, 2]])
    #expect(Recorder(Signal.from([1, 2])).values == [1, 2])
  }

  @Test func `each subscription iterates anew`() {
    let signal = Signal.from(stride(from: 1, to: 7, by: 2))
    #expect(Recorder(signal).values == [1, 3, 5])
    #expect(Recorder(signal).values == [1, 3, 5])
  }

  @Test func `an endless sequence makes no element that nobody needs`() {
    struct Naturals: Sequence, Sendable {
      let made: Subject<Int>
      func makeIterator() -> some IteratorProtocol<Int> {
        sequence(first: 1) {
          made.send($0)
          return $0 + 1
        }
      }
    }
    let made = Subject<Int>(replay: 10)
    #expect(
      Recorder(Signal.from(Naturals(made: made)).take(3)).log == [
        "next(1)", "next(2)", "next(3)", "completed",
      ])
    #expect(Recorder(made.signal).values.count == 2)
  }

  @Test func `an iteration for which it is too late does not begin`() {
    let stop = Subject<Void>()
    let seen = Lock<[Int]>([])
    let numbers = Signal.from(1...3).map { value in seen.withLock { $0.append(value) } }
    let recorder = Recorder(numbers.handleEvents(subscribed: { stop.send(()) }).take(until: stop.signal))
    #expect(recorder.log == ["completed"])
    #expect(seen.withLock { $0 } == [])
  }

  @Test func `an iteration ends when another thread ends its subscriber`() async {
    struct Ones: Sequence, Sendable {
      func makeIterator() -> some IteratorProtocol<Int> { sequence(first: 1) { $0 } }
    }
    let stop = Subject<Void>()
    let hasBegun = AsyncGate()
    let hasEnded = AsyncGate()
    onThread {
      _ = Recorder(
        Signal.from(Ones()).handleEvents(next: { _ in hasBegun.open() }).onlyProgress().take(
          until: stop.signal))
      hasEnded.open()
    }
    await hasBegun.wait()
    stop.send(())
    await hasEnded.wait()
  }

  @Test func `deferred makes a signal for each subscription, and not before`() {
    let made = Lock(0)
    let signal = Signal<Int>.deferred {
      .just(
        made.withLock {
          $0 += 1; return $0
        })
    }
    #expect(made.withLock { $0 } == 0)
    #expect(Recorder(signal).log == ["next(1)", "completed"])
    #expect(Recorder(signal).log == ["next(2)", "completed"])
  }

  @Test func `what deferred's closure throws fails the subscription`() {
    let signal = Signal<Int>.deferred { throw Broken() }
    #expect(Recorder(signal).log == ["failed(Broken())"])
  }

  @Test func `the disposal of a deferred signal stops what was made`() {
    let stops = Lock(0)
    let signal = Signal<Int>.deferred {
      Signal { _ in ActionDisposable { stops.withLock { $0 += 1 } } }
    }
    Recorder(signal).subscription.dispose()
    #expect(stops.withLock { $0 } == 1)
  }
}
