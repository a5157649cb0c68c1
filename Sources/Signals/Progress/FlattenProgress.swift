/// What a `flatMap` tells of the progress of its inner signals and of the outer one: see there.
struct FlattenProgress: Sendable {
  private static let outer = 0

  /// `nil` where the running one speaks for itself.
  private var aggregate: ProgressAggregate?
  private let expected: Int?
  private var arrivals = 0
  private var hasOuter = false

  init(_ strategy: FlattenStrategy, expected: Int?) {
    self.expected = expected
    switch strategy.rule {
    case .latest, .exhaust: break
    case .merge:
      if expected != nil || !strategy.runsOne { aggregate = ProgressAggregate(expected: expected) }
    }
  }

  /// One inner signal more will run.
  mutating func arrived() {
    arrivals += 1
    expectAll()
  }

  mutating func inner(_ id: Int, _ update: ProgressUpdate) -> ProgressUpdate {
    aggregate?.update(id, update) ?? update
  }

  mutating func innerCompleted(_ id: Int) -> ProgressUpdate? { aggregate?.complete(id) }

  /// The outer signal's own; `isAlone`: no inner signal runs.
  mutating func outer(_ update: ProgressUpdate, isAlone: Bool) -> ProgressUpdate? {
    hasOuter = true
    expectAll()
    if aggregate == nil { return isAlone ? update : nil }
    return inner(Self.outer, update)
  }

  mutating func outerCompleted() -> ProgressUpdate? { hasOuter ? innerCompleted(Self.outer) : nil }

  private mutating func expectAll() {
    aggregate?.expect(max(arrivals, expected ?? 0) + (hasOuter ? 1 : 0))
  }
}
