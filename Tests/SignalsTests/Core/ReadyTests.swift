import Signals
import SignalsTesting
import Testing

/// `Subscription.ready`: what a task that waits for it gets. How it comes through operators is in `ReadyContract`.
@Suite(.timeLimit(.minutes(2))) struct ReadyTests {
  private let readiness = Readiness()
  private let subject = Subject<Int>()

  /// Its subscription is ready with `readiness`, and ends with `subject`.
  private var signal: Signal<Int> {
    Signal { [subject, readiness] in CompoundDisposable([subject.signal.subscribe($0), readiness]) }
  }

  @Test func `what takes no time to begin is ready at once`() async throws {
    try await subject.signal.subscribe().ready
    try await Signal<Int>.never.merge(with: .never).map { $0 }.subscribe().ready
    try await Signal<Int>.never.shared().subscribe().ready
  }

  @Test func `tasks wait until the source is live, and who comes later does not`() async throws {
    let subscription = signal.subscribe()
    let history = History()
    let tasks = (0..<20).map { _ in
      Task {
        history.add("waits")
        try await subscription.ready
        history.add("ready")
      }
    }
    await history.until("waits", times: 20)
    for _ in 0..<100 { await Task.yield() }
    #expect(!history.log.contains("ready"))
    readiness.succeed()
    for task in tasks { try await task.value }
    try await subscription.ready
    subscription.dispose()
  }

  enum Ending: CaseIterable { case fails, completes, isDisposed }

  @Test(arguments: Ending.allCases, [false, true])
  func `the end is the answer, before it was ready and after`(ending: Ending, isLate: Bool) async {
    let subscription = signal.take(9).subscribe()
    let task = Task { await reason { try await subscription.ready } }
    if isLate {
      readiness.succeed()
      #expect(await task.value == "ready")
    } else {
      for _ in 0..<20 { await Task.yield() }
    }
    switch ending {
    case .fails: subject.fail(Broken())
    case .completes: subject.complete()
    case .isDisposed: subscription.dispose()
    }
    let expected =
      switch ending {
      case .fails: "Broken()"
      case .completes: "ready"
      case .isDisposed: "CancellationError()"
      }
    if !isLate { #expect(await task.value == expected) }
    // The end stays the answer, whatever a careless source says then.
    subject.fail(Broken())
    readiness.succeed()
    #expect(await reason { try await subscription.ready } == expected)
  }

  /// A source that is never live, and gone when it completes.
  private final class Gone: Disposable {
    func dispose() {}
    func whenReady(_ action: @escaping @Sendable () -> Void) {}
    var whyGone: (any Error)? { Broken() }
  }

  @Test func `a completion that says that the source is gone is its reason, through every operator`() async {
    let subject = subject
    let signal = Signal<Int> { CompoundDisposable([subject.signal.subscribe($0), Gone()]) }
    let subscriptions = [
      signal.subscribe(), signal.map { $0 }.take(9).subscribe(), signal.shared().subscribe(),
      signal.merge(with: signal).subscribe(), signal.flatMap { .just($0) }.subscribe(),
      signal.retry(1).subscribe(), signal.handleEvents(disposed: {}).subscribe(),
    ]
    let other = signal.concat(with: .just(1)).subscribe()
    let tasks = subscriptions.map { one in Task { await reason { try await one.ready } } }
    for _ in 0..<20 { await Task.yield() }
    subject.complete()
    for (task, one) in zip(tasks, subscriptions) {
      #expect(await task.value == "Broken()")
      #expect(await reason { try await one.ready } == "Broken()")
    }
    #expect(await reason { try await other.ready } == "ready", "another source took its place")
  }

  @Test func `a task that gives up ends its own wait and nothing else`() async throws {
    let recorder = Recorder(signal)
    let (leaving, staying) = (Waiter(recorder.subscription), Waiter(recorder.subscription))
    leaving.task.cancel()
    #expect(await leaving.task.value == "CancellationError()")
    #expect(!recorder.subscription.isDisposed)
    readiness.succeed()
    #expect(await staying.task.value == "ready")
    subject.send(1)
    #expect(recorder.values == [1])
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await reason { try await recorder.subscription.ready }
    }
    #expect(await late.value == "CancellationError()")
  }

  @Test func `tasks that come and give up leave one question on its way`() async {
    let questions = CallCounter()
    let subscription = Signal<Int> { _ in Endless(questions) }.subscribe()
    for _ in 0..<50 {
      let waiter = Waiter(subscription)
      repeat { for _ in 0..<20 { await Task.yield() } } while questions.count == 0
      waiter.task.cancel()
      _ = await waiter.task.value
    }
    #expect(questions.count == 1)
  }

  @Test func `who asks inside the start waits for what the start returns`() async {
    let own = Lock<Subscription?>(nil)
    let answers = CallCounter()
    let source = Signal<Int> { [readiness] observer in
      observer.send(1)
      return readiness
    }.subscribe(on: .immediate)
    let subscription = Signal<Int> { observer in
      let inner = source.subscribe(observer)
      own.withLock { $0 }?.whenReady { answers.next() }
      return inner
    }
    let time = VirtualScheduler()
    let outer = subscription.subscribe(on: time).subscribe()
    own.withLock { $0 = outer }
    time.advance(by: .zero)
    #expect(answers.count == 0)
    readiness.succeed()
    #expect(answers.count == 1)
  }

  @Test(arguments: [false, true])
  func `subscribe(on) waits for the hop, and for the source behind it`(isReadyFirst: Bool) {
    let time = VirtualScheduler()
    let answers = CallCounter()
    let subscription = signal.subscribe(on: time).subscribe()
    subscription.whenReady { answers.next() }
    if isReadyFirst { readiness.succeed() }
    #expect(answers.count == 0)
    time.advance(by: .zero)
    #expect(answers.count == (isReadyFirst ? 1 : 0))
    readiness.succeed()
    #expect(answers.count == 1)
  }

  @Test func `who joins a shared run waits for the same source, and for the next run when that is its own`()
    async
  {
    let release = AsyncGate()
    let starts = Lock<[Readiness]>([])
    let shared = Signal<Int> { _ in
      let readiness = Readiness()
      starts.withLock { $0.append(readiness) }
      return CompoundDisposable([readiness, AsyncDisposable { await release.wait() }])
    }.shared()
    let answers = CallCounter()
    func join() -> Subscription {
      let subscription = shared.subscribe()
      subscription.whenReady { answers.next() }
      return subscription
    }
    let both = [join(), join()]
    #expect(answers.count == 0)
    starts.withLock { $0[0] }.succeed()
    #expect(answers.count == 2)
    let late = join()
    #expect(answers.count == 3)
    for subscription in both + [late] { subscription.dispose() }
    // The stop takes its time, and so the next run has not begun.
    let next = join()
    #expect(answers.count == 3)
    release.open()
    while starts.withLock({ $0.count }) < 2 { await Task.yield() }
    for _ in 0..<20 { await Task.yield() }
    #expect(answers.count == 3)
    starts.withLock { $0[1] }.succeed()
    while answers.count < 4 { await Task.yield() }
    next.dispose()
  }

  @Test func `a retry that is due is waited for`() {
    let time = VirtualScheduler()
    let (source, answers) = (SlowBeginnings(), CallCounter())
    let signal = source.signal.retry(1, backoff: .constant(.seconds(1)), on: time).map(\.number)
    let subscription = signal.merge(with: .never).subscribe()
    subscription.whenReady { answers.next() }
    source.perform(.fail, 0)
    #expect(answers.count == 0)
    time.advance(by: .seconds(1))
    #expect(answers.count == 0)
    source.begin()
    #expect(answers.count == 1)
  }

  @Test func `an end and a beginning at the same time give one answer`() async {
    for _ in 0..<300 {
      let (readiness, subject) = (Readiness(), Subject<Int>())
      let signal = Signal<Int> { CompoundDisposable([subject.signal.subscribe($0), readiness]) }
      let subscription = signal.subscribe(on: .background).merge(with: .never).subscribe()
      async let answer = reason { try await subscription.ready }
      async let begun: Void = readiness.succeed()
      async let ended: Void = subject.fail(Broken())
      async let disposed: Void = subscription.dispose()
      #expect(await ["ready", "Broken()", "CancellationError()"].contains(answer))
      _ = await (begun, ended, disposed)
    }
  }
}

/// "ready", or what was thrown.
private func reason(_ body: () async throws -> Void) async -> String {
  do {
    try await body()
    return "ready"
  } catch {
    return "\(error)"
  }
}

/// A task that waits for a subscription.
private struct Waiter {
  let task: Task<String, Never>

  init(_ subscription: Subscription) {
    task = Task { await reason { try await subscription.ready } }
  }
}

/// A source that is never live.
private final class Endless: Disposable {
  private let questions: CallCounter
  init(_ questions: CallCounter) { self.questions = questions }
  func dispose() {}
  func whenReady(_ action: @escaping @Sendable () -> Void) { questions.next() }
}
