import Signals
import SignalsTesting
import Testing

/// What every signal that is made of nothing keeps.
@Suite(.timeLimit(.minutes(2))) struct SourceContract {
  private let time = VirtualScheduler()

  @Test(arguments: Catalogue.sources)
  func `it sends the same to each subscription, and no progress`(source: SourceEntry) {
    let signal = source.make(time)
    let first = Recorder(signal)
    time.advance(by: .milliseconds(500))
    let second = Recorder(signal)
    time.advance(by: .milliseconds(3000))
    #expect(first.log == source.log)
    #expect(second.log == source.log)
    for recorder in [first, second] { recorder.subscription.dispose() }
    #expect(time.pendingCount == 0)
  }

  @Test(arguments: Catalogue.sources, 1...3)
  func `after a disposal inside a handler nothing comes and nothing is pending`(
    source: SourceEntry, last: Int
  ) {
    let seen = CallCounter()
    let remote = Remote()
    let subscription = source.make(time).subscribe { _ in
      if seen.next() == last { remote.dispose() }
    }
    // What comes while it is subscribed comes before there is a subscription to dispose.
    let early = seen.count
    remote.connect(subscription)
    time.advance(by: .seconds(5))
    let values = source.log.count { $0.hasPrefix("next") }
    #expect(seen.count == max(early, min(last, values)))
    subscription.dispose()
    #expect(time.pendingCount == 0)
  }

  @Test(arguments: Catalogue.sources)
  func `an early end behind it ends it`(source: SourceEntry) {
    let recorder = Recorder(source.make(time).take(1))
    time.advance(by: .seconds(3))
    let values = source.log.filter { $0.hasPrefix("next") }
    #expect(recorder.log == (values.isEmpty ? source.log : [values[0], "completed"]))
    if source.log.isEmpty { recorder.subscription.dispose() }
    #expect(time.pendingCount == 0)
  }

  @Test(arguments: Catalogue.sources)
  func `handlers are gone after the end, while the subscription and the signal are held`(source: SourceEntry)
  {
    let signal = source.make(time)
    weak var listener: Listener?
    let subscription: Subscription
    do {
      let strong = Listener { _ in }
      listener = strong
      subscription = signal.subscribe {
        strong.receive($0)
      } failed: {
        strong.receive("\($0)")
      } completed: {
        strong.receive("completed")
      }
    }
    time.advance(by: .milliseconds(1500))
    subscription.dispose()
    #expect(listener == nil)
    withExtendedLifetime(signal) {}
  }
}
