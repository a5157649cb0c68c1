import Signals
import SignalsTesting
import Testing

private final class Canary: Sendable {}

@Suite struct ReleaseTests {
  enum Ending: CaseIterable { case dispose, complete, fail, loseSource }

  @Test(arguments: Ending.allCases)
  func `what handlers and start closures capture is gone after the end, through every operator`(
    ending: Ending
  ) {
    // Still there and silent: it must not keep what was merged with it.
    let other = Subject<Int>()
    let operators: [(String, (Signal<Int>) -> Signal<Int>)] = [
      ("none", { $0 }), ("map", { $0.map { $0 } }), ("filter", { $0.filter { _ in true } }),
      ("compactMap", { $0.compactMap { $0 } }), ("merge", { $0.merge(with: .merge([])) }),
      ("take(until:), source", { $0.take(until: other.signal) }),
      ("take(until:), trigger", { other.signal.take(until: $0) }),
      ("shared", { $0.shared() }), ("shared(replay:)", { $0.shared(replay: 1) }),
      ("shared(stale:)", { $0.shared(replay: 1, onFailure: .latch, onCompletion: .latch, stale: .keep) }),
      ("tryMap", { $0.tryMap { $0 } }), ("mapError", { $0.mapError { $0 } }),
      ("scan", { $0.scan(0, +) }), ("reduce", { $0.reduce(0, +) }),
      ("collect", { $0.collect().map(\.count) }),
      ("materialize", { $0.materialize().dematerialize() }), ("startWith", { $0.startWith(1) }),
      ("handleEvents", { $0.handleEvents(subscribed: {}, disposed: {}) }), ("log", { $0.log { _ in } }),
      ("take", { $0.take(2) }), ("take(while:)", { $0.take(while: { _ in true }) }), ("skip", { $0.skip(1) }),
      ("skip(while:)", { $0.skip(while: { _ in true }) }), ("removeDuplicates", { $0.removeDuplicates() }),
      ("skip(until:), source", { $0.skip(until: other.signal) }),
      ("skip(until:), trigger", { other.signal.skip(until: $0) }),
      ("deferred", { signal in .deferred { signal } }), ("mapProgress", { $0.mapProgress { $0 } }),
      ("onlyProgress", { $0.onlyProgress() }), ("progressUpdates", { $0.progressUpdates().map { _ in 1 } }),
      ("monotonic", { $0.monotonic() }), ("countingProgress", { $0.countingProgress() }),
      ("estimated", { $0.estimated(on: VirtualScheduler()) }),
      ("init", { signal in Signal { signal.subscribe($0) } }),
    ]
    for (name, apply) in operators {
      weak var handlers: Canary?
      weak var start: Canary?
      weak var source: Subject<Int>?
      // Still held afterwards, as users do.
      let subscription: Subscription
      do {
        let handlerCanary = Canary()
        let startCanary = Canary()
        let subject = Subject<Int>()
        (handlers, start, source) = (handlerCanary, startCanary, subject)
        let cold = Signal<Int> { observer in
          withExtendedLifetime(startCanary) { subject.signal.subscribe(observer) }
        }
        subscription = apply(cold).subscribe { _ in
          withExtendedLifetime(handlerCanary) {}
        } completed: {
          withExtendedLifetime(handlerCanary) {}
        }
        subject.send(progress: 0.5)
        switch ending {
        case .dispose: subscription.dispose()
        case .complete: subject.complete()
        case .fail: subject.fail(CancellationError())
        case .loseSource: break
        }
      }
      // A shared run goes on until somebody stops it, and a trigger that is still there can fire.
      // And a source goes on when its trigger has completed without a value.
      let goesOn =
        ending == .loseSource && ["shared", "take(until:)", "skip(until:)"].contains { name.hasPrefix($0) }
        || ending == .complete && name == "skip(until:), trigger"
      #expect(goesOn || (handlers == nil && start == nil && source == nil), "\(name)")
      withExtendedLifetime(subscription) {}
    }
  }
}
