import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct CompoundDisposableTests {
  enum Member: CaseIterable, Sendable { case completed, disposed, compound, action, asynchronous, timer }

  private func finished(_ member: Member) -> any Disposable {
    let disposable: any Disposable =
      switch member {
      case .completed: Signal<Int>.empty.subscribe()
      case .disposed: Signal<Int>.never.subscribe()
      case .compound: CompoundDisposable()
      case .action: ActionDisposable {}
      case .asynchronous: AsyncDisposable {}
      case .timer: ImmediateScheduler.immediate.schedule {}
      }
    if member != .completed, member != .timer { disposable.dispose() }
    return disposable
  }

  @Test(arguments: Member.allCases)
  func `a bag that lives long lets go of what is finished`(member: Member) async {
    let bag = CompoundDisposable()
    let live = ActionDisposable {}
    bag.add(live)
    var kept = (0..<1_000).map { _ in
      let disposable = finished(member)
      bag.add(disposable)
      return WeakBox(disposable)
    }
    // Stops that take time are finished when they have returned.
    while kept.count(where: { $0.object?.isStopping == true }) > 0 { await Task.yield() }
    kept += (0..<1_000).map { _ in
      let disposable = finished(member)
      bag.add(disposable)
      return WeakBox(disposable)
    }
    #expect(kept.prefix(1_000).count { $0.object != nil } < 10)
    #expect(!live.isDisposed)
    bag.dispose()
    #expect(live.isDisposed)
  }

  @Test func `what is finished but takes its time to stop is still waited for`() async {
    let bag = CompoundDisposable()
    let release = AsyncGate()
    let subject = Subject<Int>()
    let slow = Signal<Int> { observer in
      subject.signal.subscribe(observer)
      return AsyncDisposable { await release.wait() }
    }
    for _ in 0..<100 { bag.add(slow.subscribe()) }
    subject.complete()
    for _ in 0..<1_000 { bag.add(finished(.completed)) }
    let isStopped = Lock(false)
    let stopped = AsyncGate()
    bag.dispose {
      isStopped.withLock { $0 = true }
      stopped.open()
    }
    #expect(bag.isStopping)
    #expect(!isStopped.withLock { $0 })
    release.open()
    await stopped.wait()
  }

  @Test func `a member whose deinit adds and disposes does so outside of the lock`() {
    final class Nosy: Disposable {
      let bag: CompoundDisposable
      init(_ bag: CompoundDisposable) { self.bag = bag }
      deinit { bag.add(ActionDisposable {}) }
      var isDisposed: Bool {
        bag.add(nil)
        return true
      }
      func dispose() { bag.add(ActionDisposable {}) }
    }
    let bag = CompoundDisposable()
    for _ in 0..<100 { bag.add(Nosy(bag)) }
    bag.dispose()
    bag.add(Nosy(bag))
  }

  @Test func `disposing many costs little each`() {
    let count = 100_000
    let stops = CallCounter()
    let bag = CompoundDisposable((0..<count).map { _ in ActionDisposable { stops.next() } })
    // Were each looked for among all, it would take longer than the suite may.
    bag.dispose()
    #expect(stops.count == count)
  }
}

private struct WeakBox {
  weak var object: (any Disposable)?
  init(_ object: any Disposable) { self.object = object }
}
