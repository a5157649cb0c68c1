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

  private final class Log: Sendable {
    private let lines = Lock<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  @Test func `the closures run before what they hear of passes`() {
    let log = Log()
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
      log.all == ["subscribed", "1", "got 1", "50%", "got 50%", "completed", "got completed"])
  }

  @Test(arguments: ["dispose", "complete", "fail", "lose the source"])
  func `a subscription ends in one way`(how: String) {
    let log = Log()
    var subject: Subject<Int>? = Subject<Int>()
    let subscription = subject.map { logging($0.signal, log.add).subscribe() }
    switch how {
    case "dispose": subscription?.dispose()
    case "complete": subject?.complete()
    case "fail": subject?.fail(Broken())
    default: subject = nil
    }
    let end = ["dispose": ["disposed"], "complete": ["completed"], "fail": ["Broken()"]][how] ?? []
    #expect(log.all == ["subscribed"] + end)
    subscription?.dispose()
    subscription?.dispose()
    // Losing a source ends nothing: the disposal does.
    #expect(log.all == ["subscribed"] + (end.isEmpty ? ["disposed"] : end))
    withExtendedLifetime(subject) {}
  }

  @Test func `disposed runs after the source was told to stop`() {
    let log = Log()
    let source = Signal<Int> { _ in ActionDisposable { log.add("stopped") } }
    Recorder(logging(source, log.add)).subscription.dispose()
    #expect(log.all == ["subscribed", "stopped", "disposed"])
  }

  @Test func `an operator behind that needs no more disposes`() {
    let log = Log()
    let subject = Subject<Int>()
    let recorder = Recorder(logging(subject.signal, log.add).take(1))
    subject.send(1)
    #expect(log.all == ["subscribed", "1", "disposed"])
    #expect(recorder.log == ["next(1)", "completed"])
  }

  @Test(arguments: [true, false])
  func `who is disposed while the source starts hears of the disposal and of nothing else`(failing: Bool) {
    let log = Log()
    let source = Signal<Int> { observer in
      for value in 1...3 { observer.send(value) }
      observer.send(progress: 0.5)
      if failing { observer.fail(Broken()) } else { observer.complete() }
      return nil
    }
    _ = Recorder(logging(source, log.add).take(1))
    #expect(log.all == ["subscribed", "1", "disposed"])
  }

  @Test func `a trailing closure hears of the values`() {
    let log = Log()
    _ = Recorder(Signal.just(1, 2).handleEvents { log.add("\($0)") })
    #expect(log.all == ["1", "2"])
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

@Suite struct LogTests {
  private func lines(_ apply: (@escaping @Sendable (String) -> Void) -> Void) -> [String] {
    let lines = Subject<String>(replay: 100)
    apply { lines.send($0) }
    return Recorder(lines.signal).values
  }

  @Test func `one line an event, with the beginning and the disposal`() {
    let log = lines { sink in
      let subject = Subject<Int>()
      let recorder = Recorder(subject.signal.log("kitchen", to: sink))
      subject.send(1)
      subject.send(progress: 0.5)
      recorder.subscription.dispose()
      _ = Recorder(Signal<Int>.failed(Broken()).log("cellar", to: sink))
    }
    #expect(
      log == [
        "kitchen: subscribed", "kitchen: next(1)", "kitchen: progress(50%)", "kitchen: disposed",
        "cellar: subscribed", "cellar: failed(Broken())",
      ])
  }

  @Test func `the label is what was said, else the name, else the type`() {
    let log = lines { sink in
      _ = Recorder(Signal<Int>.empty.named("kitchen").log("cellar", to: sink))
      _ = Recorder(Signal<Int>.empty.named("kitchen").log(to: sink))
      _ = Recorder(Signal<Int>.empty.log { sink($0) })
    }
    #expect(
      log == ["cellar", "kitchen", "Signal<Int>"].flatMap { ["\($0): subscribed", "\($0): completed"] })
  }

  @Test(arguments: [
    ("a\nb", "a\\nb"), ("\u{1B}[2J", "\\u{1B}[2J"), ("\r\0\u{85}\u{2028}", "\\r\\0\\u{0085}\\u{2028}"),
    ("\u{202E}evil", "\\u{202E}evil"), ("Küche 👩‍🍳 \"\\", "Küche 👩‍🍳 \"\\"),
  ])
  func `no value can forge a line, and text stays text`(value: String, shown: String) {
    let log = lines { sink in _ = Recorder(Signal.just(value).log(value, to: sink)) }
    #expect(log.contains("\(shown): next(\(shown))"))
  }
}

@Suite struct NameTests {
  @Test func `a name is for the signal that was given it`() {
    let signal = Signal.just(1)
    #expect(signal.name == nil)
    #expect(signal.description == "Signal<Int>")
    let named = signal.named("kitchen").named("cellar \"3\"")
    #expect(named.name == "cellar \"3\"")
    #expect(named.description == #"Signal<Int>("cellar \"3\"")"#)
    #expect(named.map { $0 }.name == nil)
    #expect(Signal<Int> { _ in nil }.name == nil)
    #expect(Recorder(named).log == ["next(1)", "completed"])
  }
}
