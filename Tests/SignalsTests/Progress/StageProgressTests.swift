import Testing

@testable import Signals

@Suite struct StageProgressTests {
  @Test
  func `a silent piece counts when it has finished, and nothing is told before a piece tells something`() {
    var progress = StageProgress(count: 4)
    #expect(progress.complete(1) == nil)
    #expect(progress.update(2, 0.5).fraction == 0.375)
    #expect(progress.complete(2)?.fraction == 0.5)
    #expect(progress.complete(3)?.fraction == 0.75)
    #expect(progress.complete(4)?.fraction == 1)
  }

  @Test func `weights share the whole`() {
    var progress = StageProgress(count: 2)
    #expect(progress.update(1, ProgressUpdate(fraction: 1, weight: 3)).fraction == 0.75)
    _ = progress.complete(1)
    #expect(progress.update(2, ProgressUpdate(fraction: 0.5)).fraction == 0.875)
  }

  @Test func `it never falls but in a new attempt`() {
    var progress = StageProgress(count: 2)
    _ = progress.update(1, 0.8)
    #expect(progress.update(1, 0.2).fraction == 0.4)
    progress.expect(8)
    #expect(progress.update(1, 0.9).fraction == 0.4)
    let again = progress.update(1, ProgressUpdate(fraction: 0.0, attempt: 2))
    #expect(again.fraction == 0 && again.attempt == 2)
    #expect(progress.complete(1)?.attempt == 2)
  }

  @Test func `each retry of each piece is a new attempt, also when an earlier piece was tried as often`() {
    var progress = StageProgress(count: 2)
    _ = progress.update(1, ProgressUpdate(fraction: 0.5, attempt: 2))
    _ = progress.complete(1)
    #expect(progress.update(2, 0.8) == ProgressUpdate(fraction: 0.9, attempt: 2))
    #expect(
      progress.update(2, ProgressUpdate(fraction: 0.2, attempt: 2))
        == ProgressUpdate(fraction: 0.6, attempt: 3))
  }

  @Test func `what has no fraction stays unknown until a piece has finished`() {
    var progress = StageProgress(count: 2)
    let first = progress.update(1, ProgressUpdate(done: 3, unit: "files", message: "copying", phase: "a"))
    #expect(first == ProgressUpdate(message: "copying", phase: "a"))
    #expect(progress.complete(1)?.fraction == 0.5)
  }

  @Test func `a fraction that was known stays so when a message leaves it out, until the next attempt`() {
    var progress = StageProgress(count: 2)
    _ = progress.update(1, 0.5)
    _ = progress.update(1, ProgressUpdate(message: "still at it"))
    #expect(progress.update(2, 0.5).fraction == 0.5)
    #expect(progress.update(1, ProgressUpdate(attempt: 2)).fraction == 0.25)
  }

  @Test func `absurd weights give no absurd fraction`() {
    var progress = StageProgress(count: 2)
    for weight in [1e308, 1, 1e308, 1e-300] {
      for id in 1...3 {
        let fraction = progress.update(id, ProgressUpdate(fraction: 0.5, weight: weight)).fraction
        #expect(fraction.map { (0...1).contains($0) } ?? true)
      }
    }
    for id in 1...3 { _ = progress.complete(id) }
    #expect(progress.complete(4)?.fraction == 1)
  }

  @Test func `pieces of huge weights end at 1, and leave no error behind in the sums`() {
    var huge = StageProgress(count: 2)
    for id in 1...2 {
      _ = huge.update(id, ProgressUpdate(fraction: 0.5, weight: .greatestFiniteMagnitude))
      _ = huge.complete(id)
    }
    #expect(huge.complete(3)?.fraction == 1)
    var changing = StageProgress(count: 2)
    _ = changing.update(1, ProgressUpdate(fraction: 0.0, weight: 1e30))
    _ = changing.update(2, ProgressUpdate(fraction: 0.0))
    #expect(changing.update(1, ProgressUpdate(fraction: 0.5, weight: 1)).fraction == 0.25)
  }

  /// Against the sums as they are written down, over all pieces, without folding.
  @Test func `every short sequence of reports gives the fraction of the plain formula`() {
    struct Piece {
      var weight = 1.0
      var fraction = 0.0
      var isFinished = false
    }
    enum Step: CaseIterable {
      case lowFirst, highFirst, heavySecond, midSecond, finishFirst, finishSecond, finishThird
    }
    func run(_ steps: [Step]) -> Bool {
      var progress = StageProgress(count: 3)
      var pieces = [Piece(), Piece(), Piece()]
      var (highest, hasReported) = (0.0, false)
      for step in steps {
        let index =
          [Step.lowFirst, .highFirst, .finishFirst].contains(step) ? 0 : step == .finishThird ? 2 : 1
        guard !pieces[index].isFinished else { return false }
        var result: ProgressUpdate?
        func report(_ fraction: Double, _ weight: Double?) {
          pieces[index].fraction = fraction
          pieces[index].weight = weight ?? pieces[index].weight
          hasReported = true
          result = progress.update(index, ProgressUpdate(fraction: fraction, weight: weight))
        }
        switch step {
        case .lowFirst: report(0.25, nil)
        case .highFirst: report(0.75, nil)
        case .heavySecond: report(0.5, 5)
        case .midSecond: report(0.625, nil)
        case .finishFirst, .finishSecond, .finishThird:
          pieces[index].isFinished = true
          result = progress.complete(index)
          #expect((result != nil) == hasReported)
        }
        let done = pieces.reduce(0) { $0 + $1.weight * ($1.isFinished ? 1 : $1.fraction) }
        let part = done / pieces.reduce(0) { $0 + $1.weight }
        if hasReported { highest = max(highest, part) }
        if let fraction = result?.fraction { #expect(abs(fraction - highest) < 1e-12, "\(steps)") }
        if pieces.allSatisfy(\.isFinished), hasReported { #expect(result?.fraction == 1, "\(steps)") }
      }
      return true
    }
    var explored = 0
    func explore(_ steps: [Step], _ depth: Int) {
      for step in Step.allCases where run(steps + [step]) {
        explored += 1
        if depth > 1 { explore(steps + [step], depth - 1) }
      }
    }
    explore([], 5)
    #expect(explored > 1_000)
  }
}
