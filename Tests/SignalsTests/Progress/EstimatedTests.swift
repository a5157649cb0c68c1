import Signals
import SignalsTesting
import Testing

/// The operator, on virtual time.
@Suite(.timeLimit(.minutes(2))) struct EstimatedTests {
  private let scheduler = VirtualScheduler()
  private let subject = Subject<Int>()

  private func send(_ update: ProgressUpdate, after seconds: Double = 0) {
    scheduler.advance(by: .seconds(seconds))
    subject.send(progress: update)
  }

  @Test func `it fills in the speed and the time left`() {
    let recorder = Recorder(subject.signal.estimated(on: scheduler))
    send(ProgressUpdate(done: 0, total: 100, unit: "B"))
    for step in 1...10 { send(ProgressUpdate(done: Double(step) * 5, total: 100, unit: "B"), after: 1) }
    let last = recorder.progress.last
    #expect(last?.rate.map { ($0 * 1000).rounded() / 1000 } == 5)
    #expect(last?.remaining.map { ($0 / .seconds(1)).rounded() } == 10)
    #expect(last?.done == 50)
    #expect(last?.unit == "B")
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `what the worker says wins`() {
    let recorder = Recorder(subject.signal.estimated(on: scheduler))
    for step in 0...3 {
      send(ProgressUpdate(done: Double(step), total: 10, rate: 77, remaining: .seconds(5)), after: 1)
    }
    #expect(recorder.progress.allSatisfy { $0.rate == 77 && $0.remaining == .seconds(5) })
  }

  @Test func `two subscriptions estimate each from what it saw`() {
    let signal = subject.signal.estimated(on: scheduler)
    let first = Recorder(signal)
    send(0.1)
    send(0.2, after: 2)
    let second = Recorder(signal)
    send(0.3, after: 2)
    #expect(first.progress.last?.remaining != nil)
    // The subject's latest progress, and one more.
    #expect(second.progress.count == 2)
    #expect(second.progress.last?.remaining != nil)
    #expect(second.progress.first?.remaining == nil)
  }
}
