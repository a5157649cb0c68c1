import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct AsyncDisposableTests {
  @Test func `its stop runs once, and all who ask are told when it is over`() async {
    let release = AsyncGate()
    let stops = Lock(0)
    let disposable = AsyncDisposable {
      stops.withLock { $0 += 1 }
      await release.wait()
    }
    #expect(!disposable.isStopping)
    let told = (0..<3).map { _ in AsyncGate() }
    let early = Lock(0)
    disposable.dispose()
    for gate in told {
      disposable.dispose(whenStopped: {
        early.withLock { $0 += 1 }
        gate.open()
      })
    }
    #expect(disposable.isStopping)
    #expect(early.withLock { $0 } == 0)
    release.open()
    for gate in told { await gate.wait() }
    #expect(!disposable.isStopping)
    #expect(stops.withLock { $0 } == 1)
    disposable.dispose(whenStopped: { early.withLock { $0 += 1 } })
    #expect(early.withLock { $0 } == 4)
  }

  @Test func `a compound waits for all of its members`() async {
    let gates = [AsyncGate(), AsyncGate()]
    let compound = CompoundDisposable(
      gates.map { gate in AsyncDisposable { await gate.wait() } } + [ActionDisposable {}])
    let stopped = AsyncGate()
    let isStopped = Lock(false)
    compound.dispose(whenStopped: {
      isStopped.withLock { $0 = true }
      stopped.open()
    })
    gates[1].open()
    for _ in 0..<50 { await Task.yield() }
    #expect(compound.isStopping)
    #expect(!isStopped.withLock { $0 })
    gates[0].open()
    await stopped.wait()
    #expect(!compound.isStopping)
  }
}

/// A source whose stop takes as long as the test says, and which notices when two runs overlap.
private final class SlowSource: Sendable {
  enum Stop: CaseIterable, Sendable { case asynchronous, blocking }

  let history = History()
  let overlaps = Lock(0)
  private let running = Lock(0)
  private let observer = Lock<Observer<Int>?>(nil)
  let stop: Stop
  let release = AsyncGate()
  let blockingRelease = BlockingGate()

  init(_ stop: Stop) { self.stop = stop }

  var emit: Observer<Int>? { observer.withLock { $0 } }

  var signal: Signal<Int> {
    Signal { [self] observer in
      self.observer.withLock { $0 = observer }
      let isAlone = running.withLock { running in
        running += 1
        return running == 1
      }
      if !isAlone { overlaps.withLock { $0 += 1 } }
      history.add("start")
      switch stop {
      case .asynchronous:
        return AsyncDisposable { [self] in
          history.add("stopping")
          await release.wait()
          stopped()
        }
      case .blocking:
        return ActionDisposable { [self] in
          history.add("stopping")
          blockingRelease.wait()
          stopped()
        }
      }
    }
  }

  private func stopped() {
    running.withLock { $0 -= 1 }
    history.add("stopped")
  }

  func letStop() {
    release.open()
    for _ in 0..<10 { blockingRelease.open() }
  }
}

@Suite(.timeLimit(.minutes(2))) struct SlowStopTests {
  enum Way: CaseIterable, Sendable {
    case direct, map, take, merge, observer, nestedShared

    func around(_ source: Signal<Int>) -> Signal<Int> {
      switch self {
      case .direct: source
      case .map: source.map { $0 }.filter { _ in true }
      case .take: source.take(1_000)
      case .merge: source.merge(with: Subject<Int>().signal)
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

  private func run(_ source: SlowSource, _ way: Way, _ ending: Ending) async {
    let shared = way.around(source.signal).shared(replay: 1)
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
    #expect(source.history.log == ["start", "stopping"])
    source.letStop()
    await source.history.until("start", times: 2)
    #expect(source.history.log == ["start", "stopping", "stopped", "start"])
    #expect(source.overlaps.withLock { $0 } == 0)
    source.emit?.send(2)
    #expect(second.values == [2])
  }
}
