import Signals
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
      let goesOn = ending == .loseSource && (name.hasPrefix("shared") || name.hasPrefix("take(until:)"))
      #expect(goesOn || (handlers == nil && start == nil && source == nil), "\(name)")
      withExtendedLifetime(subscription) {}
    }
  }
}
