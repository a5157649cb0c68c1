/// Puts the latest values of several sources side by side, whenever one of them has a new one.
///
/// It is over when all sources have completed, or as soon as one completes without a value: no row can be whole.
struct CombineLatestMachine<Value: Sendable>: RowMachine {
  private var latest: [Value?]
  private var missing: Int
  private var running: Int

  init(count: Int) {
    latest = Array(repeating: nil, count: count)
    missing = count
    running = count
  }

  mutating func next(_ value: Value, from source: Int) -> RowStep<Value> {
    if latest[source] == nil { missing -= 1 }
    latest[source] = .some(value)
    return RowStep(row: missing == 0 ? latest.compactMap { $0 } : nil)
  }

  mutating func complete(_ source: Int) -> Bool {
    running -= 1
    return running == 0 || latest[source] == nil
  }
}
