import Signals
import SignalsTesting
import Testing

@Suite struct FlatteningReleaseTests {
  private final class Canary: Sendable {}
  enum Ending: CaseIterable { case dispose, complete, fail, loseSource }

  @Test(arguments: Ending.allCases)
  func `what handlers, transforms and sources capture is gone after the end`(ending: Ending) {
    let scheduler = VirtualScheduler()
    typealias Apply = (Signal<Int>, Canary) -> Signal<Int>
    var operators: [(String, Apply)] = [
      ("concat", { signal, _ in signal.concat(with: .empty) }),
      ("concat, second", { signal, _ in Cold.values(1).concat(with: signal) }),
      ("retry", { signal, canary in signal.retry { _, _ in withExtendedLifetime(canary) { nil } } }),
      ("retry, second try", { signal, _ in Self.failsFirst(signal).retry(1) }),
      (
        "retry, later",
        { signal, _ in
          Self.failsFirst(signal).retry(1, backoff: .constant(.seconds(1)), on: scheduler)
        }
      ),
      ("catch", { signal, canary in signal.catch { _ in withExtendedLifetime(canary) { .empty } } }),
      (
        "catch, replacement",
        { signal, canary in
          Cold.failure().catch { _ in withExtendedLifetime(canary) { signal } }
        }
      ),
      ("replaceError", { signal, _ in signal.replaceError(with: 1) }),
    ]
    for strategy in [FlattenStrategy.merge, .merge(max: 2), .concat, .latest, .exhaust] {
      operators.append(
        (
          "flatMap(.\(strategy)), outer",
          { signal, canary in
            signal.flatMap(strategy) { value in withExtendedLifetime(canary) { Cold.values(value) } }
          }
        ))
      operators.append(
        (
          "flatMap(.\(strategy)), inner and waiting ones",
          { signal, canary in
            Cold.values(1, 2, 3).flatMap(strategy) { _ in withExtendedLifetime(canary) { signal } }
          }
        ))
    }
    for (name, apply) in operators {
      weak var handlers: Canary?
      weak var captured: Canary?
      weak var source: Subject<Int>?
      // Still held afterwards, as users do.
      let subscription: Subscription
      do {
        let (handlerCanary, canary, subject) = (Canary(), Canary(), Subject<Int>())
        (handlers, captured, source) = (handlerCanary, canary, subject)
        let cold = Signal<Int> { observer in
          withExtendedLifetime(canary) { subject.signal.subscribe(observer) }
        }
        subscription = apply(cold, canary).subscribe { _ in withExtendedLifetime(handlerCanary) {} }
        scheduler.advance(by: .seconds(1))
        subject.send(1)
        subject.send(progress: 0.5)
        switch ending {
        case .dispose: subscription.dispose()
        case .complete: subject.complete()
        case .fail: subject.fail(Broken())
        case .loseSource: break
        }
      }
      // What may be subscribed again is kept, and its source with it.
      let keepsSource = name.hasPrefix("retry") || name.hasSuffix("waiting ones")
      #expect(
        handlers == nil && captured == nil && source == nil || ending == .loseSource && keepsSource, "\(name)"
      )
      withExtendedLifetime(subscription) {}
    }
  }

  private static func failsFirst(_ signal: Signal<Int>) -> Signal<Int> {
    let tries = CallCounter()
    return Signal { observer in
      tries.next() == 1 ? Cold.failure().subscribe(observer) : signal.subscribe(observer)
    }
  }
}
