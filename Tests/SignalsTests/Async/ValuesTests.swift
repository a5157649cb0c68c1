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
}
