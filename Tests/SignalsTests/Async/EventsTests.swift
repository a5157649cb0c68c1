import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct EventsTests {
  private func log<Value>(_ iterator: SignalEvents<Value>.Iterator) async -> [String] {
    var log: [String] = []
    while let event = await iterator.next() { log.append(event.description) }
    return log
  }

  @Test(arguments: [true, false])
  func `all events come in order, the terminal last and once`(failing: Bool) async {
    let signal = Signal<Int> { observer in
      observer.send(1)
      observer.send(progress: 0.5)
      observer.send(2)
      if failing { observer.fail(Broken()) } else { observer.complete() }
      return nil
    }
    var log: [String] = []
    for await event in signal.events() { log.append(event.description) }
    #expect(log == ["next(1)", "progress(50%)", "next(2)", failing ? "failed(Broken())" : "completed"])
  }

  @Test func `progress that waits gives way to newer progress, and passes no value`() async {
    let subject = Subject<Int>()
    let events = subject.signal.events()
    let iterator = events.makeAsyncIterator()
    for step in 1...3 { subject.send(progress: ProgressUpdate(fraction: Double(step) / 10)) }
    subject.send(1)
    for step in 4...6 { subject.send(progress: ProgressUpdate(fraction: Double(step) / 10)) }
    subject.complete()
    #expect(await log(iterator) == ["progress(30%)", "next(1)", "progress(60%)", "completed"])
    #expect(events.dropped == 0)
  }

  @Test(arguments: [
    (BufferPolicy.newest(1), ["progress(20%)", "next(2)", "progress(30%)", "completed"]),
    (.oldest(1), ["progress(10%)", "next(1)", "progress(30%)", "completed"]),
    (.newest(0), ["progress(30%)", "completed"]), (.oldest(0), ["progress(30%)", "completed"]),
  ])
  func `a bound drops values only, and two progress that become neighbours are one`(
    policy: BufferPolicy, expected: [String]
  ) async {
    let subject = Subject<Int>()
    let events = subject.signal.events(buffer: policy)
    let iterator = events.makeAsyncIterator()
    subject.send(progress: 0.1)
    subject.send(1)
    subject.send(progress: 0.2)
    subject.send(2)
    subject.send(progress: 0.3)
    subject.complete()
    #expect(await log(iterator) == expected)
    #expect(events.dropped == iterator.dropped)
    #expect(events.dropped == (policy == .newest(0) || policy == .oldest(0) ? 2 : 1))
  }

  @Test func `progress that a slow consumer has not been given gives way, also where values are bounded`()
    async
  {
    let subject = Subject<Int>()
    let iterator = subject.signal.events(buffer: .newest(1)).makeAsyncIterator()
    subject.send(progress: 0.1)
    subject.send(1)
    subject.send(progress: 0.2)
    #expect(await iterator.next()?.description == "progress(10%)")
    #expect(await iterator.next()?.description == "next(1)")
    subject.send(progress: 0.3)
    subject.send(2)
    subject.complete()
    #expect(await log(iterator) == ["progress(30%)", "next(2)", "completed"])
    #expect(iterator.dropped == 0)
  }

  @TestActor @Test func `a consumer that waits is given progress and the terminal at once`() async {
    let subject = Subject<Int>()
    let iterator = subject.signal.events(buffer: .newest(1)).makeAsyncIterator()
    let task = Task { @TestActor in await iterator.next()?.description }
    await iterator.waiting.reaches(1)
    subject.send(progress: 0.1)
    subject.send(progress: 0.2)
    #expect(await task.value == "progress(10%)")
    #expect(await iterator.next()?.description == "progress(20%)")
    let last = Task { @TestActor in await iterator.next()?.description }
    await iterator.waiting.reaches(1)
    subject.fail(Broken())
    #expect(await last.value == "failed(Broken())")
    #expect(await iterator.next() == nil)
  }

  @Test func `cancelling is silent and disposes`() async {
    let disposed = AsyncGate()
    let iterator = Lock(0)
    let started = AsyncGate()
    let signal = Signal<Int> { observer in
      observer.send(1)
      started.open()
      return ActionDisposable { disposed.open() }
    }
    let task = Task { for await _ in signal.events() { iterator.withLock { $0 += 1 } } }
    await started.wait()
    task.cancel()
    await task.value
    await disposed.wait()
    #expect(iterator.withLock { $0 } <= 1)
  }
}

@Suite(.timeLimit(.minutes(2))) struct ProgressViewTests {
  private let signal = Signal<Int> { observer in
    observer.send(progress: 0.1)
    observer.send(1)
    observer.send(progress: 0.2)
    observer.send(progress: 0.3)
    observer.complete()
    return nil
  }

  @Test func `a slow consumer gets the latest progress, and the last before the end`() async throws {
    var log: [String] = []
    for try await update in signal.progress() { log.append("\(update)") }
    #expect(log == ["30%"])
  }

  @Test func `each progress is there for who wants each`() async throws {
    var log: [String] = []
    for try await update in signal.progress(buffer: .unbounded) { log.append("\(update)") }
    #expect(log == ["10%", "20%", "30%"])
  }

  @Test func `a failure is thrown after the last progress`() async throws {
    let subject = Subject<Int>()
    let iterator = subject.signal.progress().makeAsyncIterator()
    subject.send(progress: 0.7)
    subject.fail(Broken())
    #expect(try await iterator.next()?.fraction == 0.7)
    await #expect(throws: Broken.self) { _ = try await iterator.next() }
  }
}
