import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct CombiningThreadTests {
  private static let count = 5_000

  /// Sends numbers from a thread of its own, with progress between them.
  private static let numbers = Signal<Int> { observer in
    onThread {
      for number in 0..<count {
        observer.send(number)
        observer.send(progress: ProgressUpdate(done: Double(number), total: Double(count)))
      }
      observer.complete()
    }
    return nil
  }

  private func drain<Value>(_ signal: Signal<Value>) async throws -> [Value] {
    let fractions = Lock<[Double]>([])
    let watched = Signal<Value> { observer in
      signal.subscribe {
        observer.send($0)
      } progress: { update in
        fractions.withLock { $0.append(update.fraction ?? -1) }
      } failed: {
        observer.fail($0)
      } completed: {
        observer.complete()
      }
    }
    var values: [Value] = []
    for try await value in watched.values(buffer: .unbounded) { values.append(value) }
    let seen = fractions.withLock { $0 }
    #expect(seen == seen.sorted())
    return values
  }

  @Test func `zip pairs equal positions whatever the threads do`() async throws {
    let rows = try await drain(Signal.zip([Self.numbers, Self.numbers, Self.numbers]))
    #expect(rows.count == Self.count)
    #expect(rows.enumerated().allSatisfy { row in row.element.allSatisfy { $0 == row.offset } })
  }

  @Test func `combineLatest never goes back, and ends with the last values`() async throws {
    let pairs = try await drain(Signal.combineLatest(Self.numbers, Self.numbers))
    for (before, after) in zip(pairs, pairs.dropFirst()) where before.0 > after.0 || before.1 > after.1 {
      Issue.record("\(before), then \(after)")
    }
    #expect(pairs.last?.0 == Self.count - 1)
    #expect(pairs.last?.1 == Self.count - 1)
  }

  @Test func `merge loses nothing and keeps the order of each source`() async throws {
    let tagged = (0..<3).map { source in Self.numbers.map { [source, $0] } }
    let values = try await drain(Signal.merge(tagged))
    for source in 0..<3 {
      #expect(values.filter { $0[0] == source }.map { $0[1] } == Array(0..<Self.count))
    }
  }

  @Test func `withLatest only ever sees a newer other`() async throws {
    let pairs = try await drain(Self.numbers.withLatest(from: Self.numbers))
    for (before, after) in zip(pairs, pairs.dropFirst()) where before.0 >= after.0 || before.1 > after.1 {
      Issue.record("\(before), then \(after)")
    }
  }
}
