import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct DrainedTests {
  /// Ways from a subject to its observer.
  enum Way: String, CaseIterable, Sendable {
    case direct, map, funnel, merge, shared, take

    func signal(_ subject: Subject<Int>) -> Signal<Int> {
      switch self {
      case .direct: subject.signal
      case .map: subject.signal.map { $0 }
      case .funnel: Signal { subject.signal.subscribe($0) }
      case .merge: subject.signal.merge(with: Subject<Int>().signal)
      case .shared: subject.signal.shared()
      case .take: subject.signal.take(100)
      }
    }
  }

  @Test(arguments: Way.allCases)
  func `it waits for a handler that runs on another thread`(way: Way) async {
    let subject = Subject<Int>()
    let (entered, release) = (AsyncGate(), BlockingGate())
    let history = History()
    let subscription = way.signal(subject).subscribe { _ in
      entered.open()
      release.wait()
      history.add("handled")
    }
    onThread { subject.send(1) }
    await entered.wait()
    subscription.dispose()
    var waiters: [Task<Void, Never>] = []
    for _ in 0..<3 {
      let waiter = Task {
        await subscription.drained()
        history.add("drained")
      }
      waiters.append(waiter)
    }
    // Whoever doesn't wait has its chance now.
    for _ in 0..<50 { await Task.yield() }
    #expect(history.log == [])
    release.open()
    for waiter in waiters { await waiter.value }
    #expect(history.log == ["handled", "drained", "drained", "drained"])
  }

  @Test(arguments: Way.allCases)
  func `it returns at once when nothing runs, also the second time`(way: Way) async {
    let subject = Subject<Int>()
    let subscription = way.signal(subject).subscribe { _ in }
    subject.send(1)
    subscription.dispose()
    await subscription.drained()
    await subscription.drained()
  }

  @Test(arguments: Way.allCases)
  func `after it, what the handlers captured is released`(way: Way) async {
    let subject = Subject<Int>()
    weak var held: Token?
    let subscription: Subscription
    do {
      let token = Token()
      held = token
      subscription = way.signal(subject).subscribe { _ in _ = token }
    }
    #expect(held != nil)
    subscription.dispose()
    await subscription.drained()
    #expect(held == nil)
  }

  @Test(arguments: ["handlers", "observer"])
  func `it waits until what was captured has gone, however long that takes`(end: String) async {
    let subject = Subject<Int>()
    let (drained, history) = (BlockingGate(), History())
    let subscription: Subscription
    do {
      let token = SlowToken { history.add(drained.wait(atMost: .milliseconds(100)) ? "too early" : "gone") }
      if end == "handlers" {
        subscription = subject.signal.subscribe { _ in _ = token }
      } else {
        let target = Subject<Int>()
        target.signal.subscribe { _ in _ = token }
        subscription = subject.signal.subscribe(target)
      }
    }
    let waiter = Task {
      await subscription.drained()
      drained.open()
    }
    for _ in 0..<50 { await Task.yield() }
    onThread { subscription.dispose() }
    await waiter.value
    while history.log.isEmpty { await Task.yield() }
    #expect(history.log == ["gone"])
  }

  @Test(arguments: [true, false])
  func `it returns after a terminal, and when its handler has returned`(failing: Bool) async {
    let subject = Subject<Int>()
    let (entered, release) = (AsyncGate(), BlockingGate())
    let history = History()
    let end: @Sendable () -> Void = {
      entered.open()
      release.wait()
      history.add("ended")
    }
    let subscription = subject.signal.subscribe(failed: { _ in end() }, completed: end)
    onThread { if failing { subject.fail(Broken()) } else { subject.complete() } }
    await entered.wait()
    let waiter = Task {
      await subscription.drained()
      history.add("drained")
    }
    for _ in 0..<50 { await Task.yield() }
    release.open()
    await waiter.value
    #expect(history.log == ["ended", "drained"])
    await subscription.drained()
  }

  @Test func `it waits for the end of a subscription that goes on`() async {
    let subject = Subject<Int>()
    let recorder = Recorder(subject.signal)
    let waiter = Task { await recorder.subscription.drained() }
    for _ in 0..<20 { await Task.yield() }
    subject.send(1)
    subject.complete()
    await waiter.value
    #expect(recorder.log == ["next(1)", "completed"])
  }

  @Test func `a subscription that ended while it was made is drained`() async {
    await Signal<Int>.empty.subscribe().drained()
    let subject = Subject<Int>()
    subject.complete()
    await subject.signal.subscribe { _ in }.drained()
  }

  @Test(arguments: Way.allCases)
  func `under fire no handler runs after it`(way: Way) async {
    let subject = Subject<Int>()
    let signal = way.signal(subject)
    let isOver = Lock(false)
    let senders = Task {
      await onThreads(2) { _ in for value in 0..<2_000 { subject.send(value) } }
      isOver.withLock { $0 = true }
    }
    repeat {
      // The sanitizer sees it if a handler runs after `drained`.
      let last = Unguarded()
      let subscription = signal.subscribe { _ in last.count += 1 }
      await Task.yield()
      subscription.dispose()
      await subscription.drained()
      last.count = -1_000_000
      await Task.yield()
      #expect(last.count == -1_000_000)
    } while !isOver.withLock { $0 }
    await senders.value
  }
}

private final class Token: Sendable {}

private final class SlowToken: Sendable {
  private let leave: @Sendable () -> Void
  init(_ leave: @escaping @Sendable () -> Void) { self.leave = leave }
  deinit { leave() }
}
