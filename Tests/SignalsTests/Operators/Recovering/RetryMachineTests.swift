import Testing

@testable import Signals

@Suite struct RetryMachineTests {
  private enum Step: CaseIterable { case value, failNow, failLater, failForGood, due }

  /// What happened to the source so far, as it is told to the policy, counted from the history each time.
  private func failure(_ history: [Step]) -> RetryMachine.Failure {
    let failures: [Step] = [.failNow, .failLater, .failForGood]
    let all = history.filter(failures.contains).count
    let sinceValue = history.split(separator: .value, omittingEmptySubsequences: false).last ?? []
    return RetryMachine.Failure(attempt: all, streak: sinceValue.filter(failures.contains).count)
  }

  @Test func `every short sequence of events counts, waits and starts what it should`() {
    var explored = 0
    func explore(_ machine: RetryMachine, _ history: [Step], _ isRunning: Bool, _ depth: Int) {
      explored += 1
      guard depth > 0 else { return }
      for step in Step.allCases {
        var (machine, isRunning) = (machine, isRunning)
        let history = history + [step]
        // What a source that does not run says can't happen; a timer may come late or twice.
        guard isRunning || step == .due else { continue }
        switch step {
        case .value:
          machine.delivered()
        case .failNow:
          #expect(machine.failed() == failure(history), "\(history)")
          #expect(machine.retry(after: .zero) == .start)
        case .failLater:
          #expect(machine.failed() == failure(history), "\(history)")
          #expect(machine.retry(after: .seconds(2)) == .wait(.seconds(2)))
          isRunning = false
        case .failForGood:
          #expect(machine.failed() == failure(history), "\(history)")
          #expect(machine.retry(after: nil) == .giveUp)
          continue
        case .due:
          #expect(machine.due() == (isRunning ? nil : .start), "\(history)")
          isRunning = true
        }
        explore(machine, history, isRunning, depth - 1)
      }
    }
    explore(RetryMachine(), [], true, 7)
    #expect(explored > 5_000)
  }
}

@Suite struct AttemptCounterTests {
  @Test func `each try is one above the one before, and what the source counts itself is added`() {
    var counter = AttemptCounter()
    #expect(counter.stamp(0.1).attempt == 1)
    counter.restart()
    #expect(counter.stamp(0.1).attempt == 2)
    #expect(counter.stamp(ProgressUpdate(attempt: 3)).attempt == 4)
    counter.restart()
    #expect(counter.stamp(0.1).attempt == 5)
    counter.restart()
    counter.restart()
    #expect(counter.stamp(0.1).attempt == 7)
  }

  @Test func `an attempt as large as can be does not overflow`() {
    var counter = AttemptCounter()
    for _ in 0..<3 {
      #expect(counter.stamp(ProgressUpdate(attempt: .max)).attempt == .max)
      counter.restart()
    }
    #expect(counter.stamp(0.5).attempt == .max)
  }
}
