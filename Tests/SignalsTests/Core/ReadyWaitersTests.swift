import Testing

@testable import Signals

/// Walks over all short sequences of what can happen to two sources, beside a model that says it in plain words.
@Suite struct ReadyWaitersTests {
  enum Step: CaseIterable { case ask, firstIsReady, secondIsReady, firstStops, secondStops, askAgain }

  private final class Source: Disposable {
    func dispose() {}
  }

  @Test
  func `who waits is told once, when all that ran when it asked are ready, and asks again after a stop`() {
    for script in ScriptStep.sequences(of: Step.allCases, upTo: 6) {
      let faults = Self.faults(script)
      if !faults.isEmpty { Issue.record("\(script): \(faults[0])") }
    }
  }

  private static func faults(_ script: [Step]) -> [String] {
    let sources = [Source(), Source()]
    let told = CallCounter()
    var waiters = ReadyWaiters()
    var isReady = [false, false]
    /// For each who asked and was not told: which sources were not ready when it did. `nil`: it has to ask again.
    var models: [Set<Int>?] = []
    var numbers: [Int] = []
    var expected = 0
    var faults: [String] = []
    for step in script {
      switch step {
      case .ask:
        let number = waiters.wait(for: sources) { told.next() }
        numbers.append(number)
        // Those that are ready say so at once.
        for (index, source) in sources.enumerated() where isReady[index] {
          waiters.isReady(source, for: number)?()
        }
        let missing = Set(sources.indices.filter { !isReady[$0] })
        if missing.isEmpty { expected += 1 } else { models.append(missing) }
      case .firstIsReady, .secondIsReady:
        let index = step == .firstIsReady ? 0 : 1
        isReady[index] = true
        for number in numbers { waiters.isReady(sources[index], for: number)?() }
        models = models.map { model in
          var model = model
          model?.remove(index)
          return model
        }
        expected += models.count { $0 == [] }
        models.removeAll { $0 == [] }
      case .firstStops, .secondStops:
        let index = step == .firstStops ? 0 : 1
        waiters.stopped(sources[index])
        models = models.map { $0.flatMap { $0.contains(index) ? nil : $0 } }
      case .askAgain:
        let again = waiters.takeAside()
        if again.count != models.count(where: { $0 == nil }) { faults.append("\(again.count) ask again") }
        models.removeAll { $0 == nil }
      }
      if waiters.hasAside != models.contains(nil) { faults.append("hasAside is \(waiters.hasAside)") }
      if told.count != expected { faults.append("told \(told.count) times of \(expected)") }
    }
    return faults
  }
}
