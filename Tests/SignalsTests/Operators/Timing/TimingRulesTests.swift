import Signals
import SignalsTesting
import Testing

private final class Canary: Sendable {}

/// What every operator with time or threads has to keep.
@Suite(.timeLimit(.minutes(2))) struct TimingRulesTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (Signal<Int>, VirtualScheduler) -> Signal<Int>
  }

  static let cases: [Case] = [
    Case(testDescription: "observe(on:)") { $0.observe(on: $1) },
    Case(testDescription: "subscribe(on:)") { $0.subscribe(on: $1) },
    Case(testDescription: "delay") { $0.delay(.seconds(1), on: $1) },
    Case(testDescription: "debounce") { $0.debounce(.seconds(1), on: $1) },
    Case(testDescription: "throttle") { $0.throttle(.seconds(1), on: $1) },
    Case(testDescription: "throttle, last") { $0.throttle(.seconds(1), leading: false, on: $1) },
    Case(testDescription: "sample(every:)") { $0.sample(every: .seconds(1), on: $1) },
    Case(testDescription: "sample(on:)") { $0.sample(on: .interval(.seconds(1), on: $1)) },
    Case(testDescription: "timeout") { $0.timeout(.seconds(9), on: $1) },
    Case(testDescription: "take(for:)") { $0.take(for: .seconds(9), on: $1) },
    Case(testDescription: "skip(for:)") { $0.skip(for: .milliseconds(1), on: $1) },
  ]

  @Test(arguments: cases)
  func `values and progress arrive, and the failure after them`(item: Case) {
    let (source, scheduler) = (Subject<Int>(), VirtualScheduler())
    let recorder = Recorder(item.apply(source.signal, scheduler))
    scheduler.advance(by: .milliseconds(1))
    source.send(1)
    source.send(progress: 0.5)
    scheduler.advance(by: .seconds(2))
    source.fail(Broken())
    scheduler.advance(by: .seconds(1))
    #expect(recorder.values == [1])
    #expect(recorder.progress == [0.5])
    #expect(recorder.log.last == "failed(Broken())")
    #expect(scheduler.pendingCount == 0)
  }

  @Test(arguments: cases)
  func `an early end downstream stops the source and the timers`(item: Case) {
    let (source, scheduler) = (Subject<Int>(), VirtualScheduler())
    let stops = Lock(0)
    let cold = Signal<Int> { observer in
      let subscription = source.signal.subscribe(observer)
      return ActionDisposable {
        subscription.dispose()
        stops.withLock { $0 += 1 }
      }
    }
    let recorder = Recorder(item.apply(cold, scheduler).take(1))
    scheduler.advance(by: .milliseconds(1))
    for value in 1...3 { source.send(value) }
    scheduler.advance(by: .seconds(2))
    #expect(recorder.log.count == 2)
    #expect(recorder.log.last == "completed")
    #expect(stops.withLock { $0 } == 1)
    #expect(scheduler.pendingCount == 0)
  }

  @Test(arguments: cases)
  func `a source that sends and ends at once is not cut short`(item: Case) {
    let scheduler = VirtualScheduler()
    let source = Signal<Int> { observer in
      observer.send(progress: 0.5)
      observer.send(1)
      observer.complete()
      return nil
    }
    let recorder = Recorder(item.apply(source, scheduler))
    scheduler.advance(by: .seconds(2))
    #expect(recorder.progress == [0.5])
    #expect(recorder.log.last == "completed")
    #expect(scheduler.pendingCount == 0)
  }

  enum Ending: CaseIterable { case dispose, complete, fail, loseSource }

  @Test(arguments: cases, Ending.allCases)
  func `what handlers and start closures capture is gone after the end`(item: Case, ending: Ending) {
    let scheduler = VirtualScheduler()
    weak var handlers: Canary?
    weak var start: Canary?
    let subscription: Subscription
    do {
      let (handlerCanary, startCanary, subject) = (Canary(), Canary(), Subject<Int>())
      (handlers, start) = (handlerCanary, startCanary)
      let cold = Signal<Int> { observer in
        withExtendedLifetime(startCanary) { subject.signal.subscribe(observer) }
      }
      subscription = item.apply(cold, scheduler).subscribe { _ in
        withExtendedLifetime(handlerCanary) {}
      }
      scheduler.advance(by: .milliseconds(1))
      for value in 0..<3 {
        subject.send(value)
        subject.send(progress: 0.5)
      }
      switch ending {
      case .dispose: subscription.dispose()
      case .complete: subject.complete()
      case .fail: subject.fail(Broken())
      case .loseSource: break
      }
    }
    switch ending {
    case .dispose: break
    case .complete, .fail: scheduler.advance(by: .seconds(1))
    case .loseSource:
      scheduler.advance(by: .seconds(9))
      // Its trigger goes on.
      if item.testDescription == "sample(on:)" { return subscription.dispose() }
    }
    #expect(handlers == nil && start == nil)
    #expect(scheduler.pendingCount == 0)
    withExtendedLifetime(subscription) {}
  }
}
