import Signals
import SignalsTesting
import Testing

/// What would hang if anything of the user's ran under a lock.
@Suite(.timeLimit(.minutes(1))) struct DeadlockTests {
  @Test func `two subjects whose handlers send into each other`() async {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    a.signal.subscribe { if $0 > 0 { b.send($0 - 1) } }
    b.signal.subscribe { if $0 > 0 { a.send($0 - 1) } }
    let (seenA, seenB) = (Recorder(a.signal), Recorder(b.signal))
    let ended = await endsInTime(2) { thread in
      for _ in 0..<500 { (thread == 0 ? a : b).send(6) }
    }
    #expect(ended)
    #expect(seenA.values.count + seenB.values.count == 7 * 1_000)
  }

  @Test func `two shared signals whose handlers subscribe to each other`() async {
    let (a, b) = (Subject<Int>(), Subject<Int>())
    let (sharedA, sharedB) = (a.signal.shared(replay: 1), b.signal.shared(replay: 1))
    let handled = Lock(0)
    sharedA.subscribe { _ in
      handled.withLock { $0 += 1 }
      sharedB.subscribe { _ in }.dispose()
    }
    sharedB.subscribe { _ in
      handled.withLock { $0 += 1 }
      sharedA.subscribe { _ in }.dispose()
    }
    let ended = await endsInTime(2) { thread in
      for step in 0..<300 { (thread == 0 ? a : b).send(step) }
    }
    #expect(ended)
    #expect(handled.withLock { $0 } == 600)
  }

  /// What another thread does while a closure of ours waits for it.
  enum Deed: CaseIterable, Sendable {
    case sends, sendsProgress, subscribes, subscribesAndLeaves, disposesOther
  }

  enum Way: CaseIterable, Sendable {
    case direct, map, funnel, merge, take, shared, replayed

    func signal(_ subject: Subject<Int>) -> Signal<Int> {
      switch self {
      case .direct: subject.signal
      case .map: subject.signal.map { $0 }
      case .funnel: Signal { subject.signal.subscribe($0) }
      case .merge: subject.signal.merge(with: .empty)
      case .take: subject.signal.take(100)
      case .shared: subject.signal.shared()
      case .replayed: subject.signal.shared(replay: 2, linger: .seconds(1), on: VirtualScheduler())
      }
    }
  }

  @Test(arguments: Way.allCases, Deed.allCases)
  func `a handler that waits for another thread`(way: Way, deed: Deed) async {
    let subject = Subject<Int>()
    let signal = way.signal(subject)
    let other = signal.subscribe { _ in }
    let waited = Lock(0)
    let subscription = signal.subscribe { value in
      guard value == 1 else { return }
      Self.waitFor(deed, subject, signal, other)
      waited.withLock { $0 += 1 }
    }
    let ended = await endsInTime { _ in subject.send(1) }
    #expect(ended)
    #expect(waited.withLock { $0 } == 1)
    subscription.dispose()
  }

  @Test(arguments: Way.allCases, Deed.allCases)
  func `a terminal handler that waits for another thread`(way: Way, deed: Deed) async {
    let subject = Subject<Int>()
    let signal = way.signal(subject)
    let other = signal.subscribe { _ in }
    let waited = Lock(0)
    signal.subscribe(completed: {
      Self.waitFor(deed, subject, signal, other)
      waited.withLock { $0 += 1 }
    })
    let ended = await endsInTime { _ in
      subject.send(1)
      subject.complete()
    }
    #expect(ended)
    #expect(waited.withLock { $0 } == 1)
  }

  enum Moment: CaseIterable, Sendable { case start, stop }

  @Test(arguments: Way.allCases, Moment.allCases)
  func `a start or a stop that waits for another thread`(way: Way, moment: Moment) async {
    for deed in Deed.allCases { await startAndStop(way, moment, deed) }
  }

  private func startAndStop(_ way: Way, _ moment: Moment, _ deed: Deed) async {
    let subject = Subject<Int>()
    let itself = Box()
    let history = History()
    let source = Signal<Int> { observer in
      // Only the first run waits: the runs that it brings about would do so for ever by rights.
      let isFirst = history.log.isEmpty
      history.add("start")
      let inner = subject.signal.subscribe(observer)
      let other = subject.signal.subscribe { _ in }
      let wait: @Sendable (Moment) -> Void = { now in
        guard isFirst, now == moment, let signal = itself.signal else { return }
        Self.waitFor(deed, subject, signal, other)
        history.add("waited")
      }
      wait(.start)
      return ActionDisposable {
        inner.dispose()
        wait(.stop)
      }
    }
    let signal: Signal<Int> =
      switch way {
      case .direct: source
      case .map: source.map { $0 }
      case .funnel: Signal { source.subscribe($0) }
      case .merge: source.merge(with: .empty)
      case .take: source.take(100)
      case .shared: source.shared()
      case .replayed: source.shared(replay: 2)
      }
    itself.set(signal)
    let ended = await endsInTime { _ in
      let subscription = signal.subscribe { _ in }
      subject.send(1)
      subscription.dispose()
    }
    #expect(ended)
    #expect(history.log.contains("waited"), "\(deed)")
    itself.set(nil)
  }

  @Test func `a handler that ends its own subscription, another one, and the whole`() async {
    let ended = await endsInTime { _ in
      let subject = Subject<Int>()
      let shared = subject.signal.shared(replay: 1)
      let all = CompoundDisposable()
      let calls = Lock(0)
      for _ in 0..<5 {
        all.add(
          shared.subscribe { _ in
            calls.withLock { $0 += 1 }
            all.dispose()
            shared.subscribe().dispose()
            subject.send(2)
            subject.complete()
          })
      }
      subject.send(1)
      #expect(calls.withLock { $0 } == 1)
    }
    #expect(ended)
  }

  @Test func `a sender that holds the user's lock which a stop takes, against a task that is cancelled`()
    async
  {
    for _ in 0..<200 {
      let usersLock = Lock(0)
      let subject = Subject<Int>()
      let signal = Signal<Int> { observer in
        let inner = subject.signal.subscribe(observer)
        return ActionDisposable {
          usersLock.withLock { $0 += 1 }
          inner.dispose()
        }
      }
      let iterator = signal.values()
      let task = Task { for try await _ in iterator {} }
      let ended = await endsInTime(2) { thread in
        if thread == 0 {
          for value in 0..<20 { usersLock.withLock { _ in subject.send(value) } }
        } else {
          task.cancel()
        }
      }
      #expect(ended)
      _ = await task.result
    }
  }

  private static func waitFor(
    _ deed: Deed, _ subject: Subject<Int>, _ signal: Signal<Int>, _ other: Subscription
  ) {
    let done = BlockingGate()
    onThread {
      switch deed {
      case .sends: subject.send(2)
      case .sendsProgress: subject.send(progress: 0.5)
      case .subscribes: signal.subscribe { _ in }
      case .subscribesAndLeaves: signal.subscribe { _ in }.dispose()
      case .disposesOther: other.dispose()
      }
      done.open()
    }
    #expect(done.wait(atMost: .seconds(20)), "the other thread hangs: \(deed)")
  }
}

/// A signal that its own source knows.
private final class Box: Sendable {
  private let content = Lock<Signal<Int>?>(nil)
  var signal: Signal<Int>? { content.withLock { $0 } }
  func set(_ signal: Signal<Int>?) {
    let old = content.withLock { content in
      let old = content
      content = signal
      return old
    }
    _ = consume old
  }
}
