import Testing

@testable import Signals

@Suite(.timeLimit(.minutes(2))) struct TimeoutSignTests {
  @Test func `every short sequence of progress advances where its numbers do`() {
    let updates = [
      ProgressUpdate(message: "alive"), ProgressUpdate(fraction: 0), ProgressUpdate(fraction: 0.5),
      ProgressUpdate(done: 1), ProgressUpdate(done: 2, total: 4), ProgressUpdate(fraction: 0, attempt: 2),
      ProgressUpdate(message: "again", attempt: 3),
    ]
    func explore(_ detector: AdvanceDetector, _ before: [ProgressUpdate]) {
      guard before.count < 5 else { return }
      for update in updates {
        var next = detector
        let numbered = before.filter { $0.fraction != nil || $0.done != nil }
        let sameAttempt = numbered.filter { $0.attempt == update.attempt }
        let isAbove =
          sameAttempt.allSatisfy { ($0.fraction ?? -1) < (update.fraction ?? -1) }
          || sameAttempt.allSatisfy { ($0.done ?? -1) < (update.done ?? -1) }
        let isNumbered = update.fraction != nil || update.done != nil
        let isOld = numbered.contains { $0.attempt > update.attempt }
        let expected = isNumbered && !isOld && isAbove
        #expect(next.advances(update) == expected, "\(before) \(update)")
        explore(next, before + [update])
      }
    }
    explore(AdvanceDetector(), [])
  }
}
