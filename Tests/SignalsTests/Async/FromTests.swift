import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct FromTests {
  @Test func `its elements and its end come through`() async throws {
    let (stream, elements) = AsyncStream<Int>.makeStream()
    for element in 0..<100 { elements.yield(element) }
    elements.finish()
    var received: [Int] = []
    for try await value in Signal.from(stream).values() { received.append(value) }
    #expect(received == Array(0..<100))
  }

  @Test func `what it throws fails the signal, after the elements`() async {
    let stream = AsyncThrowingStream<Int, any Error> { elements in
      elements.yield(1)
      elements.finish(throwing: Broken())
    }
    var log: [String] = []
    for await event in Signal.from(stream).events() { log.append(event.description) }
    #expect(log == ["next(1)", "failed(Broken())"])
  }

  @Test func `the disposal cancels the iteration, and is over when the task is`() async {
    let (cancelled, stopped, started) = (AsyncGate(), AsyncGate(), AsyncGate())
    let release = BlockingGate()
    let stream = AsyncStream<Int> {
      started.open()
      return await withTaskCancellationHandler {
        await cancelled.wait()
        release.wait()
        return nil
      } onCancel: {
        cancelled.open()
      }
    }
    let subscription = Signal.from(stream).subscribe()
    await started.wait()
    subscription.dispose()
    #expect(subscription.isStopping)
    subscription.dispose(whenStopped: { stopped.open() })
    release.open()
    await stopped.wait()
    #expect(!subscription.isStopping)
  }

  @Test func `nothing comes after the disposal, though the sequence goes on`() async {
    let (stream, elements) = AsyncStream<Int>.makeStream()
    let first = AsyncGate()
    let received = Lock(0)
    let subscription = Signal.from(stream).subscribe { _ in
      received.withLock { $0 += 1 }
      first.open()
    }
    elements.yield(1)
    await first.wait()
    subscription.dispose()
    elements.yield(2)
    elements.finish()
    await subscription.drained()
    #expect(received.withLock { $0 } == 1)
  }

  @Test func `a disposal ends also an endless sequence that does not look whether it is cancelled`() async {
    let stopped = BlockingGate()
    let subscription = Signal.from(Endless()).take(3).subscribe()
    await subscription.drained()
    subscription.dispose(whenStopped: { stopped.open() })
    #expect(await endsInTime { _ in stopped.wait() })
  }

  @MainActor @Test func `it never iterates on the main actor, also when subscribed there`() async throws {
    let onMain = Lock<[Bool]>([])
    let stream = Counting { onMain.withLock { $0.append(isMainQueue()) } }
    var values: [Int] = []
    for try await value in Signal.from(stream, priority: .high).values() { values.append(value) }
    #expect(values == [1, 2, 3])
    #expect(onMain.withLock { $0 } == [false, false, false, false])
  }
}

/// Always has a next element, and never asks whether it is wanted.
private struct Endless: AsyncSequence, AsyncIteratorProtocol, Sendable {
  func makeAsyncIterator() -> Endless { self }
  mutating func next() async -> Int? { 1 }
}

/// Counts to three, and says when it is asked. It runs on the actor of who iterates.
private struct Counting: AsyncSequence, AsyncIteratorProtocol, Sendable {
  let asked: @Sendable () -> Void
  var count = 0

  init(_ asked: @escaping @Sendable () -> Void) { self.asked = asked }

  func makeAsyncIterator() -> Counting { self }

  mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
    asked()
    count += 1
    return count <= 3 ? count : nil
  }
}
