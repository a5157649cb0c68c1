import Signals

/// Sits directly behind an operator, where no subscription hides what comes after a terminal.
final class GrammarSpy: Observer<String>, @unchecked Sendable {
  // Sound: immutable but for the lock.
  private let downstream: Observer<String>
  private let faults: History
  private let runs: Runs
  private let hasEnded = Lock(false)

  init(_ downstream: Observer<String>, _ runs: Runs, _ faults: History) {
    self.downstream = downstream
    self.runs = runs
    self.faults = faults
  }

  override func send(_ value: String) {
    check("next(\(value))")
    downstream.send(value)
  }

  override func send(progress: ProgressUpdate) {
    check("progress")
    downstream.send(progress: progress)
  }

  override func fail(_ error: any Error) {
    end("failed")
    downstream.fail(error)
  }

  override func complete() {
    end("completed")
    downstream.complete()
  }

  override var isDisposed: Bool { downstream.isDisposed }

  private func check(_ event: String) {
    if hasEnded.withLock({ $0 }) { faults.add("the operator sends \(event) after its terminal") }
  }

  private func end(_ event: String) {
    check(event)
    hasEnded.withLock { $0 = true }
    if runs.wanted > 0 { faults.add("the operator sends \(event) before it ends its source") }
  }
}
