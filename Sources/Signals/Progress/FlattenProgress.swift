/// What a `flatMap` tells of the progress of its inner signals and of the outer one: see there.
struct FlattenProgress: Sendable {
  private static let outer = 0

  // At most one of them; neither where the running one speaks for itself.
  private var stages: StageProgress?
  private var aggregate: ProgressAggregate?
  private var arrivals = 0
  private var hasOuter = false

  init(_ strategy: FlattenStrategy, expected: Int?) {
    switch strategy.rule {
    case .latest, .exhaust: break
    case .merge:
      if let expected {
        stages = StageProgress(count: expected)
      } else if !strategy.runsOne {
        aggregate = ProgressAggregate()
      }
    }
  }

  /// One inner signal more will run.
  mutating func arrived() {
    arrivals += 1
    stages?.expect(arrivals + (hasOuter ? 1 : 0))
  }

  mutating func inner(_ id: Int, _ update: ProgressUpdate) -> ProgressUpdate {
    stages?.update(id, update) ?? aggregate?.update(id, update) ?? update
  }

  mutating func innerCompleted(_ id: Int) -> ProgressUpdate? {
    stages != nil ? stages?.complete(id) : aggregate?.complete(id)
  }

  /// The outer signal's own; `isAlone`: no inner signal runs.
  mutating func outer(_ update: ProgressUpdate, isAlone: Bool) -> ProgressUpdate? {
    // What is more than can be counted wraps, and is no more than was expected.
    if !hasOuter, let count = stages?.count { stages?.expect(count &+ 1) }
    hasOuter = true
    if stages == nil, aggregate == nil { return isAlone ? update : nil }
    return inner(Self.outer, update)
  }

  mutating func outerCompleted() -> ProgressUpdate? { hasOuter ? innerCompleted(Self.outer) : nil }
}
