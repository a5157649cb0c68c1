import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct RateLimitTests {
  let source = Subject<Int>()
  let scheduler = VirtualScheduler()

  @Test(arguments: [true, false])
  func `what waits goes out before a completion; before a failure only the progress`(fails: Bool) {
    let limited: [Signal<Int>] = [
      source.signal.throttle(.seconds(10), on: scheduler),
      source.signal.debounce(.seconds(10), on: scheduler),
      source.signal.sample(every: .seconds(10), on: scheduler),
    ]
    let recorders = limited.map { Recorder($0) }
    source.send(progress: 0.1)
    source.send(1)
    source.send(2)
    source.send(progress: 0.2)
    if fails { source.fail(Broken()) } else { source.complete() }
    for recorder in recorders {
      let expected =
        fails ? ["progress(20%)", "failed(Broken())"] : ["next(2)", "progress(20%)", "completed"]
      #expect(Array(recorder.log.suffix(expected.count)) == expected)
      #expect(!fails || !recorder.values.contains(2))
    }
    #expect(scheduler.pendingCount == 0)
  }
}
