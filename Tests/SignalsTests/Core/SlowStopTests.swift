import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct SlowStopTests {
  enum Way: CaseIterable, Sendable {
    case direct, map, take, merge, observer, nestedShared

    func around(_ source: Signal<Int>) -> Signal<Int> {
      switch self {
      case .direct: source
      case .map: source.map { $0 }.filter { _ in true }
      case .take: source.take(1_000)
      case .merge: source.merge(with: .empty)
      case .observer: Signal { source.subscribe($0) }
      case .nestedShared: source.shared()
      }
    }
  }

  enum Ending: CaseIterable, Sendable { case lastLeaves, completes, fails, completesAndLastLeaves }

  @Test(arguments: Way.allCases, Ending.allCases)
  func `a new start waits for a stop that takes time`(way: Way, ending: Ending) async {
    await run(SlowSource(.asynchronous), way, ending)
  }

  @Test(arguments: Way.allCases, Ending.allCases)
  func `a new start waits for a stop that blocks its thread`(way: Way, ending: Ending) async {
    await run(SlowSource(.blocking), way, ending)
  }

  @Test(arguments: SlowSource.Stop.allCases)
  func `a new start waits for the stop of a part that ended before the whole`(stop: SlowSource.Stop) async {
    await run(SlowSource(stop), .direct, .completesAndLastLeaves) { $0.merge(with: Subject<Int>().signal) }
  }

  @Test(arguments: Way.allCases)
  func `a new start waits for the slow stop of a source that ended while it started`(way: Way) async {
    let history = History()
    let release = AsyncGate()
    let source = Signal<Int> { observer in
      history.add("start")
      observer.complete()
      return AsyncDisposable {
        history.add("stopping")
        await release.wait()
        history.add("stopped")
      }
    }
    let shared = way.around(source).shared()
    shared.subscribe()
    await history.until("stopping")
    shared.subscribe()
    for _ in 0..<50 { await Task.yield() }
    #expect(history.log == ["start", "stopping"], "\(way)")
    release.open()
    await history.until("stopped", times: 2)
    #expect(history.log == ["start", "stopping", "stopped", "start", "stopping", "stopped"])
  }

  private func run(
    _ source: SlowSource, _ way: Way, _ ending: Ending, _ more: (Signal<Int>) -> Signal<Int> = { $0 }
  ) async {
    let shared = more(way.around(source.signal)).shared(replay: 1)
    let first = Recorder(shared)
    source.emit?.send(1)
    let emit = source.emit
    onThread {
      switch ending {
      case .lastLeaves: first.subscription.dispose()
      case .fails: emit?.fail(Broken())
      case .completes, .completesAndLastLeaves: emit?.complete()
      }
    }
    await source.history.until("stopping")
    if ending == .completesAndLastLeaves { first.subscription.dispose() }
    let left = Recorder(shared)
    left.subscription.dispose()
    let second = Recorder(shared)
    for _ in 0..<50 { await Task.yield() }
    #expect(source.history.log == ["start", "stopping"], "\(way) \(ending)")
    guard source.history.log.count == 2 else { return source.letStop() }
    source.letStop()
    // Who came before a completion got through belongs to the old run.
    var later = [second]
    while source.history.log.count < 4 {
      await Task.yield()
      if source.history.log.contains("stopped") { later.append(Recorder(shared)) }
    }
    #expect(source.history.log == ["start", "stopping", "stopped", "start"])
    #expect(source.overlaps.withLock { $0 } == 0)
    source.emit?.send(2)
    // The thread that starts the source may still be at it, and is then the one who delivers.
    while later.last?.values == [] { await Task.yield() }
    #expect(later.last?.values == [2])
  }
}
