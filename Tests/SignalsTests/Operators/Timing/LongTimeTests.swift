import Signals
import SignalsTesting
import Testing

/// Who means "for ever" writes a very long time, and must not be trapped for it.
@Suite(.timeLimit(.minutes(2))) struct LongTimeTests {
  private static let forEver = Duration.seconds(Int64.max)

  @Test(arguments: [false, true])
  func `each operator takes the longest time there is`(isVirtual: Bool) async {
    let virtual = VirtualScheduler()
    let scheduler: any Scheduler = isVirtual ? virtual : .background
    let time = Self.forEver
    let source = Subject<Int>()
    let signals: [Signal<Int>] = [
      source.signal.throttle(time, on: scheduler), source.signal.debounce(time, on: scheduler),
      source.signal.sample(every: time, on: scheduler), source.signal.delay(time, on: scheduler),
      source.signal.timeout(time, on: scheduler), source.signal.take(for: time, on: scheduler),
      source.signal.skip(for: time, on: scheduler),
      source.signal.buffer(every: time, on: scheduler).map(\.count),
      source.signal.window(every: time, on: scheduler).map { _ in 0 },
      source.signal.shared(replay: 1, linger: time, stale: .keep(maxAge: time), on: scheduler),
      Cold.failure().retry(1, backoff: .constant(time), on: scheduler),
      Cold.failure().retry(1, backoff: Backoff(initial: time, maximum: time), on: scheduler),
      .interval(time, on: scheduler), Signal<Void>.timer(after: time, on: scheduler).map { 0 },
    ]
    for signal in signals {
      let recorder = Recorder(signal)
      for value in 1...3 {
        source.send(value)
        source.send(progress: 0.5)
        if isVirtual { virtual.advance(by: .seconds(1)) }
      }
      #expect(!recorder.hasEnded)
      recorder.subscription.dispose()
    }
    source.signal.warm(for: time, on: scheduler).dispose()
    source.send(progress: 0.5)
    source.complete()
    await #expect(throws: SignalError.completedWithoutValue) {
      try await source.signal.first(timeout: time, on: scheduler)
    }
  }
}
