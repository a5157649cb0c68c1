import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct HandleEventsTests {
  /// All six closures, which write into `log`.
  private func logging(_ signal: Signal<Int>, _ log: @escaping @Sendable (String) -> Void) -> Signal<Int> {
    signal.handleEvents(
      next: { log("\($0)") }, progress: { log("\($0)") }, failed: { log("\($0)") },
      completed: { log("completed") }, subscribed: { log("subscribed") }, disposed: { log("disposed") })
  }

  @Test func `the closures run before what they hear of passes`() {
    let log = History()
    let subject = Subject<Int>()
    logging(subject.signal, log.add).subscribe {
      log.add("got \($0)")
    } progress: {
      log.add("got \($0)")
    } completed: {
      log.add("got completed")
    }
    subject.send(1)
    subject.send(progress: 0.5)
    subject.complete()
    #expect(
      log.log == ["subscribed", "1", "got 1", "50%", "got 50%", "completed", "got completed"])
  }

  @Test(arguments: ["dispose", "complete", "fail", "lose the source"])
  func `a subscription ends in one way`(how: String) {
    let log = History()
    var subject: Subject<Int>? = Subject<Int>()
    let subscription = subject.map { logging($0.signal, log.add).subscribe() }
    switch how {
    case "dispose": subscription?.dispose()
    case "complete": subject?.complete()
    case "fail": subject?.fail(Broken())
    default: subject = nil
    }
    let end = ["dispose": ["disposed"], "complete": ["completed"], "fail": ["Broken()"]][how] ?? []
    #expect(log.log == ["subscribed"] + end)
    subscription?.dispose()
    subscription?.dispose()
    // Losing a source ends nothing: the disposal does.
    #expect(log.log == ["subscribed"] + (end.isEmpty ? ["disposed"] : end))
    withExtendedLifetime(subject) {}
  }

  @Test func `disposed runs after the source was told to stop`() {
    let log = History()
    let source = Signal<Int> { _ in ActionDisposable { log.add("stopped") } }
    Recorder(logging(source, log.add)).subscription.dispose()
    #expect(log.log == ["subscribed", "stopped", "disposed"])
  }

  @Test func `an operator behind that needs no more disposes`() {
    let log = History()
    let subject = Subject<Int>()
    let recorder = Recorder(logging(subject.signal, log.add).take(1))
    subject.send(1)
    #expect(log.log == ["subscribed", "1", "disposed"])
    #expect(recorder.log == ["next(1)", "completed"])
  }

  @Test(arguments: [true, false])
  func `who is disposed while the source starts hears of the disposal and of nothing else`(failing: Bool) {
    let log = History()
    let source = Signal<Int> { observer in
      for value in 1...3 { observer.send(value) }
      observer.send(progress: 0.5)
      if failing { observer.fail(Broken()) } else { observer.complete() }
      return nil
    }
    _ = Recorder(logging(source, log.add).take(1))
    #expect(log.log == ["subscribed", "1", "disposed"])
  }

  @Test func `a trailing closure hears of the values`() {
    let log = History()
    _ = Recorder(Signal.just(1, 2).handleEvents { log.add("\($0)") })
    #expect(log.log == ["1", "2"])
  }

  @Test func `a source that takes its time to stop is waited for through it`() async {
    let gate = AsyncGate()
    let source = Signal<Int> { _ in AsyncDisposable { await gate.wait() } }
    let subscription = source.handleEvents(disposed: {}).subscribe()
    subscription.dispose()
    #expect(subscription.isStopping)
    gate.open()
    await withCheckedContinuation { continuation in
      subscription.dispose(whenStopped: { continuation.resume() })
    }
    #expect(!subscription.isStopping)
  }

  @Test func `exactly one of disposed and completed runs when they race`() async {
    for _ in 0..<300 {
      let ends = Lock(0)
      let subject = Subject<Int>()
      let subscription = subject.signal.handleEvents(
        completed: { ends.withLock { $0 += 1 } }, disposed: { ends.withLock { $0 += 1 } }
      ).subscribe()
      await onThreads(2) { thread in
        if thread == 0 { subject.complete() } else { subscription.dispose() }
      }
      #expect(ends.withLock { $0 } == 1)
    }
  }
}
