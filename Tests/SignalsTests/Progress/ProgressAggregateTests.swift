import Testing

@testable import Signals

@Suite(.timeLimit(.minutes(2))) struct ProgressAggregateTests {
  private enum Step {
    case update(Int, fraction: Double?, weight: Double?, attempt: Int)
    case complete(Int)
  }

  // Halves and quarters, so that the definition can be compared exactly.
  private static let steps: [Step] = (0..<2).flatMap { id in
    [
      .update(id, fraction: nil, weight: nil, attempt: 1),
      .update(id, fraction: 0.25, weight: nil, attempt: 1),
      .update(id, fraction: 1, weight: nil, attempt: 1),
      .update(id, fraction: 0.5, weight: 3, attempt: 1),
      .update(id, fraction: 0, weight: nil, attempt: 2),
      .update(id, fraction: nil, weight: 1, attempt: 4),
      .complete(id),
    ]
  }

  @Test func `every short sequence of updates gives what the definition says`() {
    var explored = 0
    func walk(_ aggregate: ProgressAggregate, _ naive: NaiveAggregate, _ trace: [Step], _ depth: Int) {
      explored += 1
      guard depth > 0 else { return }
      for step in Self.steps {
        var (aggregate, naive) = (aggregate, naive)
        let trace = trace + [step]
        switch step {
        case .update(let id, let fraction, let weight, let attempt):
          if naive.pieces[id]?.isComplete == true { continue }
          let update = ProgressUpdate(fraction: fraction, attempt: attempt, weight: weight)
          let result = aggregate.update(id, update)
          let expected = naive.update(id, fraction: fraction, weight: weight, attempt: attempt)
          if result.fraction != expected.fraction || result.attempt != expected.attempt {
            Issue.record("\(result) instead of \(expected) after \(trace)")
          }
        case .complete(let id):
          if naive.pieces[id]?.isComplete == true { continue }
          let result = aggregate.complete(id)
          let expected = naive.complete(id)
          if result?.fraction != expected?.fraction || result?.attempt != expected?.attempt {
            Issue.record(
              "\(String(describing: result)) instead of \(String(describing: expected)) after \(trace)")
          }
        }
        walk(aggregate, naive, trace, depth - 1)
      }
    }
    walk(ProgressAggregate(), NaiveAggregate(), [], 4)
    #expect(explored > 10_000)
  }

  @Test func `each retry of each piece is an attempt, and the others keep what they had`() {
    var aggregate = ProgressAggregate()
    _ = aggregate.update(0, 0.8)
    _ = aggregate.update(1, 0.8)
    let first = aggregate.update(1, ProgressUpdate(fraction: 0, attempt: 2))
    #expect((first.attempt, first.fraction) == (2, 0.4))
    let second = aggregate.update(0, ProgressUpdate(fraction: 0, attempt: 2))
    #expect((second.attempt, second.fraction) == (3, 0))
    _ = aggregate.complete(0)
    let third = aggregate.update(1, ProgressUpdate(fraction: 0.5, attempt: 2))
    #expect((third.attempt, third.fraction) == (3, 0.75))
  }

  @Test func `a lower attempt is a new one too, and huge numbers of attempts do not overflow`() {
    var aggregate = ProgressAggregate()
    _ = aggregate.update(0, ProgressUpdate(fraction: 0.9, attempt: 3))
    let again = aggregate.update(0, ProgressUpdate(fraction: 0.1, attempt: 1))
    #expect((again.attempt, again.fraction) == (4, 0.1))
    for id in 0..<3 {
      let update = aggregate.update(id, ProgressUpdate(fraction: 0.5, attempt: .max))
      #expect(update.attempt == .max)
    }
  }

  @Test func `message and phase are the newest, until their piece has others or completes`() {
    var aggregate = ProgressAggregate()
    _ = aggregate.update(0, ProgressUpdate(fraction: 0.1, message: "copying", phase: "one"))
    let other = aggregate.update(1, 0.1)
    #expect((other.message, other.phase) == ("copying", "one"))
    let newer = aggregate.update(1, ProgressUpdate(fraction: 0.2, message: "checking"))
    #expect((newer.message, newer.phase) == ("checking", "one"))
    let left = aggregate.update(1, 0.3)
    #expect((left.message, left.phase) == (nil, "one"))
    let completed = aggregate.complete(0)
    #expect(completed?.phase == nil)
    #expect(completed?.fraction == (1 + 0.3) / 2)
  }

  @Test func `a completion that changes nothing is not told`() {
    var aggregate = ProgressAggregate()
    _ = aggregate.update(0, 1.0)
    #expect(aggregate.complete(0) == nil)
    #expect(aggregate.complete(1) == nil)
  }

  @Test func `weights of any size add up`() {
    var aggregate = ProgressAggregate()
    let huge = Double.greatestFiniteMagnitude
    for fraction in [0.25, 0.375] {
      for id in 0..<4 { _ = aggregate.update(id, ProgressUpdate(fraction: fraction, weight: huge)) }
      #expect(aggregate.update(0, 0.0).fraction == fraction)
    }
    let tiny = Double.leastNonzeroMagnitude
    for id in 0..<4 { _ = aggregate.update(id, ProgressUpdate(fraction: 0.5, weight: tiny)) }
    #expect(aggregate.update(0, 0.0).fraction == 0.5)
    // What a huge weight has covered is there again once it has changed.
    for id in 0..<4 { _ = aggregate.update(id, ProgressUpdate(fraction: 0.5, weight: 1)) }
    #expect(aggregate.update(0, 1.0).fraction == 0.625)
  }

  @Test func `the sums do not drift, however many updates come`() {
    var generator = SeededGenerator(seed: 7)
    var aggregate = ProgressAggregate()
    let ids = 0..<50
    for _ in 0..<100_000 {
      let fraction = Double.random(in: 0...0.5, using: &generator)
      let weight = Double.random(in: 0.001...1000, using: &generator)
      let id = Int.random(in: ids, using: &generator)
      _ = aggregate.update(id, ProgressUpdate(fraction: fraction, weight: weight))
    }
    for id in ids { _ = aggregate.update(id, ProgressUpdate(fraction: 0.75, weight: 0.1)) }
    let fraction = aggregate.update(0, 0.75).fraction ?? 0
    #expect(abs(fraction - 0.75) < 1e-14)
    for id in ids.dropLast() { _ = aggregate.complete(id) }
    #expect(aggregate.complete(ids.last ?? 0)?.fraction == 1)
  }
}
