import Signals
import SignalsTesting
import Testing

/// Many that end at once: neither the stack nor the memory grows with their number.
@Suite(.timeLimit(.minutes(2))) struct DeepFlatteningTests {
  #if TSAN
    private static let count = 10_000
  #else
    private static let count = 100_000
  #endif
  private static let strategies: [FlattenStrategy] = [
    .merge, .merge(max: 1), .merge(max: 2), .latest, .exhaust,
  ]

  /// What is alive of what inner signals hold.
  private final class Census: Sendable {
    let alive = Lock((now: 0, most: 0))
    let hasEnded = Lock(0)
    let values = CallCounter()

    func member() -> Member { Member(self) }
    func observe(_ signal: Signal<Int>) -> Subscription {
      signal.subscribe { _ in
        self.values.next()
      } completed: {
        self.hasEnded.withLock { $0 += 1 }
      }
    }
  }

  private final class Member: Sendable {
    private let census: Census
    init(_ census: Census) {
      self.census = census
      census.alive.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
    }
    deinit { census.alive.withLock { $0.now -= 1 } }
  }

  private static func inner(_ census: Census) -> Signal<Int> {
    let member = census.member()
    // By hand: what it returns is disposed by nobody but the operator.
    return .attaching { observer in
      withExtendedLifetime(member) { observer.send(1) }
      observer.complete()
      return ActionDisposable { withExtendedLifetime(member) {} }
    }
  }

  private static let numbers = Signal<Int> { observer in
    for number in 0..<count { observer.send(number) }
    observer.complete()
    return nil
  }

  @Test(arguments: strategies)
  func `synchronous inner signals neither nest nor stay`(strategy: FlattenStrategy) async {
    let census = Census()
    await onSmallStack {
      let subscription = census.observe(Self.numbers.flatMap(strategy) { _ in Self.inner(census) })
      withExtendedLifetime(subscription) {}
    }
    #expect(census.values.count == Self.count)
    #expect(census.hasEnded.withLock { $0 } == 1)
    #expect(census.alive.withLock { $0.most } <= 3)
    #expect(census.alive.withLock { $0.now } == 0)
  }

  @Test(arguments: [.merge(max: 1), .merge(max: 2)] as [FlattenStrategy])
  func `the first asynchronous and all others synchronous neither nest nor stay`(strategy: FlattenStrategy)
    async
  {
    let census = Census()
    await onSmallStack {
      let gate = Subject<Int>()
      let signal = Self.numbers.flatMap(strategy) { $0 < 2 ? gate.signal : Self.inner(census) }
      let subscription = census.observe(signal)
      #expect(census.values.count == 0)
      gate.complete()
      withExtendedLifetime(subscription) {}
    }
    // Where one at a time runs, the second of the gated ones ends at once: its subject has ended.
    #expect(census.values.count == Self.count - 2)
    #expect(census.hasEnded.withLock { $0 } == 1)
    #expect(census.alive.withLock { $0.most } <= 3)
  }

  @Test func `many stages of a concat neither nest nor keep a stage that has ended`() async {
    let census = Census()
    await onSmallStack {
      let stage = Signal<Int>.attaching { observer in
        let member = census.member()
        observer.send(1)
        observer.send(progress: 0.5)
        observer.complete()
        return ActionDisposable { withExtendedLifetime(member) {} }
      }
      let gate = Subject<Int>()
      let signal = Signal.concat([gate.signal] + Array(repeating: stage, count: Self.count))
      let subscription = census.observe(signal)
      gate.complete()
      withExtendedLifetime(subscription) {}
    }
    #expect(census.values.count == Self.count)
    #expect(census.hasEnded.withLock { $0 } == 1)
    #expect(census.alive.withLock { $0.most } <= 2)
  }

  @Test func `many synchronous failures are tried again without nesting, and nothing stays of them`() async {
    let census = Census()
    let tries = CallCounter()
    await onSmallStack {
      let source = Signal<Int>.attaching { observer in
        let member = census.member()
        if tries.next() <= Self.count { observer.fail(Broken()) } else { observer.complete() }
        return ActionDisposable { withExtendedLifetime(member) {} }
      }
      let recorder = Recorder(source.retry(Self.count))
      #expect(recorder.log == ["completed"])
      let late = Subject<Int>()
      let lateTries = CallCounter()
      let laterRecorder = Recorder(
        Signal<Int> { lateTries.next() == 1 ? late.signal.subscribe($0) : source.subscribe($0) }
          .retry(backoff: .none))
      late.fail(Broken())
      #expect(laterRecorder.log == ["completed"])
    }
    #expect(tries.count == Self.count + 2)
    #expect(census.alive.withLock { $0.most } <= 2)
    #expect(census.alive.withLock { $0.now } == 0)
  }

  @Test func `a chain of catches works`() async {
    await onSmallStack {
      var signal: Signal<Int> = Cold.failure()
      for _ in 0..<20 { signal = signal.catch { _ in Cold.failure() } }
      #expect(Recorder(signal.catch { _ in Cold.values(1) }).log == ["next(1)", "completed"])
    }
  }
}
