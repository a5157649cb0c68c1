import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct FilteringTests {
  @Test func `take(0) completes and does not start its source`() {
    let starts = Lock(0)
    let source = Signal<Int> { _ in
      starts.withLock { $0 += 1 }
      return nil
    }
    #expect(Recorder(source.take(0)).log == ["completed"])
    #expect(starts.withLock { $0 } == 0)
  }

  enum Ending: CaseIterable { case count, condition, inclusiveCondition }

  @Test(arguments: Ending.allCases)
  func `take has stopped its source when the last value and the completion come`(ending: Ending) {
    let log = Lock<[String]>([])
    let subject = Subject<Int>()
    let source = Signal<Int> { observer in
      let subscription = subject.signal.subscribe(observer)
      return ActionDisposable {
        subscription.dispose()
        log.withLock { $0.append("stopped") }
      }
    }
    let signal =
      switch ending {
      case .count: source.take(2)
      case .condition: source.take(while: { $0 < 2 })
      case .inclusiveCondition: source.take(while: { $0 < 2 }, inclusive: true)
      }
    signal.subscribe { value in
      log.withLock { $0.append("\(value)") }
    } completed: {
      log.withLock { $0.append("completed") }
    }
    for value in 1...3 { subject.send(value) }
    subject.complete()
    #expect(
      log.withLock { $0 }
        == (ending == .condition ? ["1", "stopped", "completed"] : ["1", "stopped", "2", "completed"]))
  }

  @Test(arguments: Ending.allCases)
  func `who is disposed by the last value gets no completion`(ending: Ending) {
    let subject = Subject<Int>()
    let signal =
      switch ending {
      case .count: subject.signal.take(1)
      case .condition: subject.signal.take(while: { $0 < 2 })
      case .inclusiveCondition: subject.signal.take(while: { _ in false }, inclusive: true)
      }
    let log = Lock<[String]>([])
    let holder = Lock<Subscription?>(nil)
    let subscription = signal.subscribe { value in
      log.withLock { $0.append("\(value)") }
      holder.withLock { $0 }?.dispose()
    } completed: {
      log.withLock { $0.append("completed") }
    }
    holder.withLock { $0 = subscription }
    for value in 1...3 { subject.send(value) }
    #expect(log.withLock { $0 } == ["1"])
  }

  @Test func `nothing runs behind an operator that has ended, whatever its source sends`() {
    let rude = Signal<Int> { observer in
      for value in 1...5 { observer.send(value) }
      observer.fail(Broken())
      return nil
    }
    let asked = Lock(0)
    @Sendable func isSmall(_ value: Int) -> Bool {
      asked.withLock { $0 += 1 }
      return value < 3
    }
    let ending: [(String, Signal<Int>)] = [
      ("take", rude.take(2)), ("take(while:)", rude.take(while: isSmall)),
      ("dematerialize", rude.map { $0 < 3 ? .next($0) : $0 == 3 ? .completed : .next($0) }.dematerialize()),
      ("tryMap", rude.tryMap { if $0 == 3 { throw Broken() } else { $0 } }),
      ("startWith", rude.take(0).startWith(1, 2, 3, 4)),
    ]
    for (name, signal) in ending {
      let seen = Lock<[Int]>([])
      _ = Recorder(
        signal.map { value in
          seen.withLock { $0.append(value) }
          return value
        }.take(2))
      #expect(seen.withLock { $0 } == [1, 2], "\(name)")
    }
    #expect(asked.withLock { $0 } == 3)
  }

  @Test func `the conditions are asked as often as they must, and no more`() {
    let asked = Lock<[Int]>([])
    @Sendable func isSmall(_ value: Int) -> Bool {
      asked.withLock { $0.append(value) }
      return value < 3
    }
    let numbers = Signal.from([1, 2, 3, 1, 4])
    #expect(Recorder(numbers.skip(while: isSmall)).values == [3, 1, 4])
    #expect(asked.withLock { $0 } == [1, 2, 3])
    #expect(Recorder(numbers.take(while: isSmall)).values == [1, 2])
    #expect(asked.withLock { $0 } == [1, 2, 3, 1, 2, 3])
  }

  @Test func `skip drops as many as it says, however many there are`() {
    for (count, expected) in [(0, [1, 2, 3]), (1, [2, 3]), (3, []), (9, [])] {
      #expect(Recorder(Signal.just(1, 2, 3).skip(count)).values == expected)
    }
  }

  @Test func `removeDuplicates compares neighbours, with what was sent last`() {
    #expect(Recorder(Signal.just(1, 1, 2, 1, 1, 1, 3).removeDuplicates()).values == [1, 2, 1, 3])
    // A slow drift must not pass unseen: the comparison is with the last that was sent, not with the last that came.
    let signal = Signal.just(0, 4, 8, 12, 16).removeDuplicates { abs($0 - $1) < 10 }
    #expect(Recorder(signal).values == [0, 12])
  }

  @Test func `nil is a value like others to removeDuplicates`() {
    #expect(Recorder(Signal<Int?>.just(nil, nil, 1, nil).removeDuplicates()).values == [nil, 1, nil])
  }
}
