/// Pairs the n-th values of several sources.
///
/// It is over when a source has completed and none of its values waits: no further row can be whole.
struct ZipMachine<Value: Sendable>: RowMachine {
  private var queues: [Ring<Value>]
  private var hasCompleted: [Bool]
  /// How many sources have no value waiting: looked at for each value, where counting them would cost more.
  private var missing: Int

  init(count: Int) {
    queues = Array(repeating: Ring(), count: count)
    hasCompleted = Array(repeating: false, count: count)
    missing = count
  }

  mutating func next(_ value: Value, from source: Int) -> RowStep<Value> {
    if queues[source].isEmpty { missing -= 1 }
    queues[source].append(value)
    guard missing == 0 else { return RowStep() }
    var step = RowStep(row: [Value]())
    step.row?.reserveCapacity(queues.count)
    for index in queues.indices {
      if let value = queues[index].popFirst() { step.row?.append(value) }
      guard queues[index].isEmpty else { continue }
      missing += 1
      if hasCompleted[index] { step.isOver = true }
    }
    return step
  }

  mutating func complete(_ source: Int) -> Bool {
    hasCompleted[source] = true
    return queues[source].isEmpty
  }
}
