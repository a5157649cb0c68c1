import Signals
import SignalsTesting
import Testing

/// A source that ends while it starts, before anybody has what stops it.
@Suite(.timeLimit(.minutes(2))) final class LateStopTests: Sendable {
  private let release = AsyncGate()
  private let log = Lock<[String]>([])

  private func note(_ entry: String) { log.withLock { $0.append(entry) } }

  private var endsAtOnce: Signal<Int> {
    Signal { [self] observer in
      note("start")
      observer.complete()
      return AsyncDisposable { [self] in
        await release.wait()
        note("stop")
      }
    }
  }

  @Test(arguments: ["itself", "mapped", "subscribed into an observer"])
  func `its stop is waited for before a shared signal starts it again`(how: String) async {
    let source = endsAtOnce
    let signal: Signal<Int> =
      switch how {
      case "itself": source
      case "mapped": source.map { $0 }.take(1)
      default: Signal { observer in source.subscribe(observer) }
      }
    let shared = signal.shared()
    shared.subscribe()
    let again = shared.values().makeAsyncIterator()
    #expect(log.withLock { $0 } == ["start"])
    release.open()
    while await (try? again.next()) != nil {}
    #expect(log.withLock { $0 }.prefix(3) == ["start", "stop", "start"])
  }

  @Test(arguments: ["subscribed on a scheduler", "flattened", "tried again", "caught", "nested"])
  func `a start that is still under way on another thread is waited for, and its stop too`(how: String) async
  {
    let (entered, goOn) = (AsyncGate(), BlockingGate())
    let slow = Signal<Int> { [self] _ in
      note("start")
      entered.open()
      goOn.wait()
      return AsyncDisposable { [self] in
        await release.wait()
        note("stop")
      }
    }
    let trigger = Subject<Int>()
    let failing = Signal<Int> { observer in trigger.signal.subscribe { _ in observer.fail(Broken()) } }
    let tries = CallCounter()
    let signal: Signal<Int> =
      switch how {
      case "subscribed on a scheduler": slow.subscribe(on: QueueScheduler(label: "start"))
      case "flattened": trigger.signal.flatMap { _ in slow.map { $0 } }
      case "tried again": Signal.deferred { tries.next() % 2 == 1 ? failing : slow }.retry(1)
      case "caught": failing.catch { _ in slow }
      default: Signal { slow.subscribe(on: QueueScheduler(label: "start")).take(1).subscribe($0) }
      }
    let shared = signal.handleEvents(subscribed: { [self] in note("run") }).shared()
    let first = shared.subscribe()
    onThread { trigger.send(1) }
    await entered.wait()
    first.dispose()
    let again = shared.subscribe()
    #expect(log.withLock { $0 } == ["run", "start"])
    goOn.open()
    for _ in 0..<50 { await Task.yield() }
    #expect(log.withLock { $0 } == ["run", "start"])
    release.open()
    while log.withLock({ $0.count < 4 }) { await Task.yield() }
    #expect(log.withLock { $0 }.prefix(4) == ["run", "start", "stop", "run"])
    for _ in 0..<10 { goOn.open() }
    again.dispose()
  }

  @Test(arguments: ["on a scheduler", "inside flatMap", "inside merge"])
  func `one that is disposed while it starts has stopped when both are over`(how: String) async {
    let (scheduler, outer, stopped) = (VirtualScheduler(), Subject<Int>(), AsyncGate())
    let own = Lock<Subscription?>(nil)
    let source = Signal<Int> { [self] _ in
      let subscription = own.withLock { $0 }
      subscription?.dispose { [self] in
        note("told")
        stopped.open()
      }
      #expect(subscription?.isStopping == true)
      return AsyncDisposable { [self] in
        await release.wait()
        note("stop")
      }
    }
    let later = source.subscribe(on: scheduler)
    let signal: Signal<Int> =
      switch how {
      case "on a scheduler": later
      case "inside flatMap": outer.signal.flatMap { _ in source }
      default: later.merge(with: outer.signal)
      }
    let subscription = signal.subscribe()
    own.withLock { $0 = subscription }
    outer.send(1)
    scheduler.advance(by: .zero)
    #expect(log.withLock { $0 } == [])
    release.open()
    await stopped.wait()
    #expect(log.withLock { $0 } == ["stop", "told"])
    #expect(!subscription.isStopping)
  }

  @Test func `one that is added late to a compound is waited for`() async {
    let compound = CompoundDisposable()
    compound.dispose()
    compound.add(AsyncDisposable { [self] in await release.wait() })
    #expect(compound.isStopping)
    let stopped = AsyncGate()
    let isOver = Lock(false)
    compound.dispose {
      isOver.withLock { $0 = true }
      stopped.open()
    }
    #expect(!isOver.withLock { $0 })
    release.open()
    await stopped.wait()
    #expect(!compound.isStopping)
  }
}
