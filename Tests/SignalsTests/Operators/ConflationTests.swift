import Signals
import SignalsTesting
import Testing

/// While a handler runs that somebody else than the source called, a timer for example, the source goes on.
@Suite struct ConflationTests {
  private let time = VirtualScheduler()
  private let source = Subject<Int>()

  /// What is delivered of three updates that come while the handler of the first value runs.
  private func fractions<Value>(
    of signal: Signal<Value>, _ cause: () -> Void
  ) -> [Double?] {
    let recorder = Recorder(
      signal.handleEvents(next: { [source] _ in
        for fraction in [0.1, 0.2, 0.3] { source.send(progress: ProgressUpdate(fraction: fraction)) }
      }))
    source.send(1)
    cause()
    return recorder.progress.map(\.fraction)
  }

  @Test func `buffer delivers only the last of the progress that waits`() {
    let buffered = source.signal.buffer(count: 9, every: .seconds(1), on: time)
    #expect(fractions(of: buffered) { time.advance(by: .seconds(1)) } == [0.3])
  }

  @Test func `debounce delivers only the last of the progress that waits`() {
    let debounced = source.signal.debounce(.seconds(1), on: time)
    #expect(fractions(of: debounced) { time.advance(by: .seconds(1)) } == [0.3])
  }
}
