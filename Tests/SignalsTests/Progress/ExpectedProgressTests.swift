import Testing

@testable import Signals

@Suite struct ExpectedProgressTests {
  @Test
  func `a silent piece counts when it has finished, and nothing is told before a piece tells something`() {
    var progress = ProgressAggregate(expected: 4)
    #expect(progress.complete(1) == nil)
    #expect(progress.update(2, 0.5).fraction == 0.375)
    #expect(progress.complete(2)?.fraction == 0.5)
    #expect(progress.complete(3)?.fraction == 0.75)
    #expect(progress.complete(4)?.fraction == 1)
  }

  @Test func `weights share the whole, declared ones from the beginning`() {
    var progress = ProgressAggregate(weights: [3, 1, nil])
    #expect(progress.update(0, 1.0).fraction == 0.75)
    #expect(progress.complete(0) == nil)
    #expect(progress.update(1, ProgressUpdate(fraction: 0.5)).fraction == 0.875)
    #expect(progress.update(2, ProgressUpdate(fraction: 1, weight: 4)).fraction == 0.9375)
  }

  @Test func `it never falls but in a new attempt`() {
    var progress = ProgressAggregate(expected: 2)
    _ = progress.update(1, 0.8)
    #expect(progress.update(1, 0.2).fraction == 0.4)
    progress.expect(8)
    #expect(progress.update(1, 0.9).fraction == 0.4)
    let again = progress.update(1, ProgressUpdate(fraction: 0.0, attempt: 2))
    #expect(again.fraction == 0 && again.attempt == 2)
    #expect(progress.complete(1)?.attempt == 2)
  }

  @Test func `each retry of each piece is a new attempt, also when an earlier piece was tried as often`() {
    var progress = ProgressAggregate(expected: 2)
    _ = progress.update(1, ProgressUpdate(fraction: 0.5, attempt: 2))
    _ = progress.complete(1)
    #expect(progress.update(2, 0.8) == ProgressUpdate(fraction: 0.9, attempt: 2))
    #expect(
      progress.update(2, ProgressUpdate(fraction: 0.2, attempt: 2))
        == ProgressUpdate(fraction: 0.6, attempt: 3))
  }

  @Test func `what has no fraction stays unknown until a piece has finished`() {
    var progress = ProgressAggregate(expected: 2)
    let first = progress.update(1, ProgressUpdate(done: 3, unit: "files", message: "copying", phase: "a"))
    #expect(first == ProgressUpdate(message: "copying", phase: "a"))
    #expect(progress.complete(1)?.fraction == 0.5)
  }

  @Test func `absurd weights give no absurd fraction`() {
    var progress = ProgressAggregate(expected: 2)
    var told: Double?
    for weight in [1e308, 1, 1e308, 1e-300] {
      for id in 1...3 {
        told = progress.update(id, ProgressUpdate(fraction: 0.5, weight: weight)).fraction
        #expect(told.map { (0...1).contains($0) } ?? true)
      }
    }
    for id in 1...4 { told = progress.complete(id)?.fraction ?? told }
    #expect(told == 1)
  }

  @Test func `pieces of huge weights end at 1, and leave no error behind in the sums`() {
    var huge = ProgressAggregate(expected: 2)
    let ends = (1...2).map { id in
      _ = huge.update(id, ProgressUpdate(fraction: 0.5, weight: .greatestFiniteMagnitude))
      return huge.complete(id)?.fraction
    }
    #expect(ends == [0.5, 1])
    var changing = ProgressAggregate(expected: 2)
    _ = changing.update(1, ProgressUpdate(fraction: 0.0, weight: 1e30))
    _ = changing.update(2, ProgressUpdate(fraction: 0.0))
    #expect(changing.update(1, ProgressUpdate(fraction: 0.5, weight: 1)).fraction == 0.25)
  }

  /// Against the sums as they are written down, over all pieces, without folding.
  @Test func `every short sequence of reports gives the fraction of the plain formula`() {
    struct Piece {
      /// `nil` until it has said something.
      var weight: Double?
      var fraction = 0.0
      var isFinished = false
    }
    enum Step: CaseIterable {
      case lowFirst, highFirst, heavySecond, midSecond, finishFirst, finishSecond, finishThird
    }
    func run(_ steps: [Step]) -> Bool {
      var progress = ProgressAggregate(expected: 3)
      var pieces = [Piece(), Piece(), Piece()]
      var (highest, hasReported) = (0.0, false)
      for step in steps {
        let index =
          [Step.lowFirst, .highFirst, .finishFirst].contains(step) ? 0 : step == .finishThird ? 2 : 1
        guard !pieces[index].isFinished else { return false }
        var result: ProgressUpdate?
        func report(_ fraction: Double, _ weight: Double?) {
          pieces[index].fraction = fraction
          pieces[index].weight = weight ?? pieces[index].weight ?? 1
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
        }
        let heard = pieces.compactMap(\.weight)
        let mean = heard.isEmpty ? 1 : heard.reduce(0, +) / Double(heard.count)
        let done = pieces.reduce(0) { $0 + ($1.weight ?? mean) * ($1.isFinished ? 1 : $1.fraction) }
        let part = done / pieces.reduce(0) { $0 + ($1.weight ?? mean) }
        if hasReported { highest = max(highest, part) }
        if let fraction = result?.fraction { #expect(abs(fraction - highest) < 1e-12, "\(steps)") }
        if !hasReported { #expect(result == nil, "\(steps)") }
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

  @Test func `a fraction that was known stays so when a message leaves it out, until the next attempt`() {
    var progress = ProgressAggregate(expected: 2)
    _ = progress.update(1, 0.5)
    _ = progress.update(1, ProgressUpdate(message: "still at it"))
    #expect(progress.update(2, 0.5).fraction == 0.5)
    #expect(progress.update(1, ProgressUpdate(attempt: 2)).fraction == 0.25)
  }

  @Test func `who has not said its weight counts as much as the mean of those that have`() {
    var progress = ProgressAggregate(expected: 4)
    let fractions = (1...4).flatMap { id in
      [
        progress.update(id, ProgressUpdate(fraction: 0.5, weight: 100)).fraction,
        progress.complete(id)?.fraction,
      ]
    }
    #expect(fractions == [0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1])
  }

  @Test func `completions are told, where that is asked for, also when no piece says anything`() {
    var progress = ProgressAggregate(expected: 4, tellsCompletions: true)
    #expect((1...4).map { progress.complete($0)?.fraction } == [0.25, 0.5, 0.75, 1])
  }
}
