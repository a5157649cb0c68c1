import Signals
import SignalsTesting
import Testing

private final class Canary: Sendable {}

@Suite struct CombiningReleaseTests {
  enum Ending: CaseIterable { case dispose, complete, fail }

  @Test(arguments: Ending.allCases)
  func `what was captured and what was kept is gone after the end`(ending: Ending) {
    // Still there and silent: it must not keep what was combined with it.
    let other = Subject<Canary>(replay: 1)
    other.send(Canary())
    let scheduler = VirtualScheduler()
    let operators: [(String, (Signal<Canary>) -> Signal<Void>)] = [
      ("zip", { $0.zip(with: other.signal).map { _ in } }),
      ("zip, array", { Signal.zip([other.signal, $0]).map { _ in } }),
      ("combineLatest", { $0.combineLatest(with: other.signal).map { _ in } }),
      ("withLatest", { $0.withLatest(from: other.signal).map { _ in } }),
      ("buffer", { $0.buffer(count: 9).map { _ in } }),
      ("buffer, timed", { $0.buffer(every: .seconds(1), on: scheduler).map { _ in } }),
      ("window", { $0.window(count: 9).map { _ in } }),
      ("window, timed", { $0.window(every: .seconds(1), on: scheduler).map { _ in } }),
    ]
    for (name, apply) in operators {
      weak var handlers: Canary?
      weak var value: Canary?
      // Still held afterwards, as users do.
      let subscription: Subscription
      do {
        let (handlerCanary, valueCanary) = (Canary(), Canary())
        (handlers, value) = (handlerCanary, valueCanary)
        let subject = Subject<Canary>()
        subscription = apply(subject.signal).subscribe { _ in
          withExtendedLifetime(handlerCanary) {}
        }
        // Two, so that zip and buffer keep one.
        subject.send(Canary())
        subject.send(valueCanary)
        switch ending {
        case .dispose: subscription.dispose()
        case .complete: subject.complete()
        case .fail: subject.fail(Broken())
        }
        // The others end with their source, a zip and a combineLatest may wait for the other.
        if ending == .complete { subscription.dispose() }
      }
      #expect(handlers == nil && value == nil, "\(name)")
      #expect(scheduler.pendingCount == 0, "\(name)")
      withExtendedLifetime(subscription) {}
    }
  }
}
