import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct ValuesTests {
  @Test func `it gives all values and then ends`() async throws {
    let signal = Signal<Int> { observer in
      for value in 0..<1000 {
        observer.send(value)
        observer.send(progress: 0.5)
      }
      observer.complete()
      return nil
    }
    var received: [Int] = []
    for try await value in signal.values() { received.append(value) }
    #expect(received == Array(0..<1000))
  }

  @Test func `it throws the error, after the values`() async {
    let signal = Signal<Int> { observer in
      observer.send(1)
      observer.fail(Broken())
      return nil
    }
    var received: [Int] = []
    await #expect(throws: Broken.self) {
      for try await value in signal.values() { received.append(value) }
    }
    #expect(received == [1])
  }

  @Test(arguments: [
    (BufferPolicy.newest(3), [7, 8, 9], 7), (.oldest(3), [0, 1, 2], 7), (.unbounded, Array(0..<10), 0),
    (.newest(0), [], 10),
  ])
  func `a bounded buffer keeps what it says, counts the rest, and loses no terminal`(
    policy: BufferPolicy, kept: [Int], dropped: Int
  ) async throws {
    let signal = Signal<Int> { observer in
      for value in 0..<10 { observer.send(value) }
      observer.complete()
      return nil
    }
    let iterator = signal.values(buffer: policy).makeAsyncIterator()
    var received: [Int] = []
    while let value = try await iterator.next() { received.append(value) }
    #expect(received == kept)
    #expect(iterator.dropped == dropped)
    #expect(try await iterator.next() == nil)
  }

  @Test(arguments: [
    (BufferPolicy.newest(2), [1, 5, 6], [2, 3, 4]), (.newest(1), [2, 6], [1, 3, 4, 5]),
    (.oldest(2), [1, 2, 3], [4, 5, 6]), (.unbounded, [1, 2, 3, 4, 5, 6], []),
  ])
  func `what a slow consumer has not been given counts against the bound`(
    policy: BufferPolicy, received: [Int], dropped: [Int]
  ) async throws {
    let subject = Subject<Int>()
    let iterator = subject.signal.values(buffer: policy).makeAsyncIterator()
    for value in 1...2 { subject.send(value) }
    var log = [try await iterator.next()]
    for value in 3...6 { subject.send(value) }
    subject.complete()
    while let value = try await iterator.next() { log.append(value) }
    #expect(log == received)
    #expect(iterator.dropped == dropped.count)
  }

  @Test func `a value that gives way is let go of at once`() async throws {
    let subject = Subject<Token>()
    let iterator = subject.signal.values(buffer: .newest(2)).makeAsyncIterator()
    let held = Lock<[Weak]>([])
    let send: @Sendable () -> Void = {
      let token = Token()
      held.withLock { $0.append(Weak(token)) }
      subject.send(token)
    }
    for _ in 0..<2 { send() }
    _ = try await iterator.next()
    for _ in 0..<4 { send() }
    #expect(held.withLock { $0.map { $0.token != nil } } == [false, false, false, false, true, true])
    withExtendedLifetime(iterator) {}
  }

  @Test func `a negative bound stops the program where the view is made, before anybody iterates`() async {
    await #expect(processExitsWith: .failure) { _ = Signal<Int>.never.values(buffer: .newest(-1)) }
    await #expect(processExitsWith: .failure) { _ = Signal<Int>.never.events(buffer: .oldest(-2)) }
    await #expect(processExitsWith: .failure) { _ = Signal<Int>.never.progress(buffer: .newest(-1)) }
  }

  @Test func `leaving the loop disposes`() async throws {
    let disposals = Lock(0)
    let signal = Signal<Int> { observer in
      observer.send(1)
      return ActionDisposable { disposals.withLock { $0 += 1 } }
    }
    for try await _ in signal.values() { break }
    #expect(disposals.withLock { $0 } == 1)
  }

  @Test func `cancelling the task disposes and ends the loop`() async throws {
    let (started, disposed) = (AsyncGate(), AsyncGate())
    let signal = Signal<Int> { observer in
      started.open()
      return ActionDisposable { disposed.open() }
    }
    let task = Task { for try await _ in signal.values() {} }
    await started.wait()
    task.cancel()
    await disposed.wait()
    try await task.value
  }

  @Test func `a task that was cancelled before ends at once`() async throws {
    let gate = AsyncGate()
    let task = Task {
      await gate.wait()
      for try await _ in Subject<Int>(replay: 1).signal.values() {}
    }
    task.cancel()
    gate.open()
    try await task.value
  }

  @Test func `values sent from another thread all arrive, in order`() async throws {
    let subject = Subject<Int>()
    let iterator = subject.signal.values().makeAsyncIterator()
    onThread {
      for value in 0..<20_000 { subject.send(value) }
      subject.complete()
    }
    var expected = 0
    while let value = try await iterator.next() {
      #expect(value == expected)
      expected += 1
    }
    #expect(expected == 20_000)
  }

  @Test func `the sequence counts what all its iterations drop`() async throws {
    let subject = Subject<Int>()
    let values = subject.signal.values(buffer: .oldest(1))
    let copy = values
    let iterators = [values.makeAsyncIterator(), copy.makeAsyncIterator()]
    for value in 0..<5 { subject.send(value) }
    #expect(iterators.map(\.dropped) == [4, 4])
    #expect(values.dropped == 8)
    #expect(try await iterators[0].next() == 0)
    #expect(values.dropped == 8)
  }

  @Test func `what is left over when the loop is left was not dropped by the policy`() async throws {
    let values = Signal<Int> { observer in
      for value in 0..<3 { observer.send(value) }
      return nil
    }.values(buffer: .newest(3))
    for try await value in values {
      #expect(value == 0)
      break
    }
    #expect(values.dropped == 0)
  }

  @TestActor @Test func `a consumer that waits is given what comes though the bound is zero`() async throws {
    let subject = Subject<Int>()
    let values = subject.signal.values(buffer: .newest(0))
    let iterator = values.makeAsyncIterator()
    let first = Task { @TestActor in try await iterator.next() }
    await iterator.waiting.reaches(1)
    subject.send(7)
    #expect(try await first.value == 7)
    #expect(values.dropped == 0)
    subject.send(8)
    #expect(values.dropped == 1)
  }

  @Test func `a cancelled task gets nothing more, however much it has not taken yet`() async throws {
    let disposals = Lock(0)
    let signal = Signal<Int> { observer in
      for value in 0..<100 { observer.send(value) }
      return ActionDisposable { disposals.withLock { $0 += 1 } }
    }
    let received = Lock(0)
    let task = Task {
      for try await _ in signal.values() {
        received.withLock { $0 += 1 }
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    try await task.value
    #expect(received.withLock { $0 } == 1)
    #expect(disposals.withLock { $0 } == 1)
  }

  @TestActor @Test func `nothing that is the user's runs while the task is being cancelled`() async throws {
    let log = Lock<[String]>([])
    let iterator = Signal<Int> { _ in ActionDisposable { log.withLock { $0.append("stopped") } } }
      .values().makeAsyncIterator()
    let task = Task { @TestActor in try await iterator.next() }
    await iterator.waiting.reaches(1)
    // The actor is busy with this: what gets before the mark ran inside of `cancel`.
    task.cancel()
    log.withLock { $0.append("cancelled") }
    #expect(try await task.value == nil)
    #expect(log.withLock { $0 } == ["cancelled", "stopped"])
  }

  @Test
  func `an error that comes while the consumer is busy is thrown to it, after the values, again and again`()
    async throws
  {
    let subject = Subject<Int>()
    let iterator = subject.signal.values().makeAsyncIterator()
    subject.send(1)
    subject.send(2)
    #expect(try await iterator.next() == 1)
    subject.send(3)
    subject.fail(Broken())
    #expect(try await iterator.next() == 2)
    #expect(try await iterator.next() == 3)
    for _ in 0..<2 { await #expect(throws: Broken.self) { _ = try await iterator.next() } }
  }

  @Test func `each task that iterates the sequence gets all values and the end`() async throws {
    let subject = Subject<Int>()
    let values = subject.signal.values()
    let iterators = (values.makeAsyncIterator(), values.makeAsyncIterator())
    for value in 0..<6 { subject.send(value) }
    subject.complete()
    var received: [[Int]] = [[], []]
    while let value = try await iterators.0.next() { received[0].append(value) }
    while let value = try await iterators.1.next() { received[1].append(value) }
    #expect(received == [Array(0..<6), Array(0..<6)])
  }

  @TestActor @Test func `tasks that share an iterator get each value once, and all get the end`() async throws
  {
    let subject = Subject<Int>()
    let iterator = subject.signal.values().makeAsyncIterator()
    let received = Lock<[Int]>([])
    let tasks = (0..<3).map { _ in
      Task { @TestActor in
        while let value = try await iterator.next() {
          received.withLock { $0.append(value) }
          await Task.yield()
        }
      }
    }
    await iterator.waiting.reaches(3)
    // More than there are waiters: some are taken as a batch by one while another waits.
    for value in 0..<50 {
      subject.send(value)
      if value.isMultiple(of: 7) { await Task.yield() }
    }
    await iterator.waiting.reaches(3)
    subject.fail(Broken())
    for task in tasks { await #expect(throws: Broken.self) { try await task.value } }
    #expect(received.withLock { $0 }.sorted() == Array(0..<50))
  }

  @TestActor @Test func `cancelling one of the tasks that share an iterator leaves none hanging`()
    async throws
  {
    let iterator = Subject<Int>().signal.values().makeAsyncIterator()
    let tasks = (0..<3).map { _ in Task { @TestActor in try await iterator.next() } }
    await iterator.waiting.reaches(3)
    tasks[1].cancel()
    for task in tasks { #expect(try await task.value == nil) }
  }

  @Test func `letting go of the iterator disposes and releases what the source has`() {
    let disposals = Lock(0)
    weak var held: Token?
    do {
      let token = Token()
      held = token
      let iterator = Signal<Token> { observer in
        observer.send(token)
        return ActionDisposable { disposals.withLock { $0 += 1 } }
      }.values().makeAsyncIterator()
      #expect(iterator.dropped == 0)
      #expect(disposals.withLock { $0 } == 0)
    }
    #expect(disposals.withLock { $0 } == 1)
    #expect(held == nil)
  }

  @Test func `progress is left out of the values`() async throws {
    let signal = Signal<Int> { observer in
      observer.send(progress: 0.5)
      observer.send(1)
      observer.complete()
      return nil
    }
    let iterator = signal.values(buffer: .oldest(1)).makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    #expect(try await iterator.next() == nil)
    #expect(iterator.dropped == 0)
  }
}

private final class Token: Sendable {}

private struct Weak {
  private(set) weak var token: Token?
  init(_ token: Token) { self.token = token }
}
