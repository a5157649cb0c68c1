import Signals

extension CoreGroup {
  /// What one observer's share of a send costs.
  @discardableResult
  func send(
    _ name: String, to observers: Int = 1, goal: Double? = nil,
    _ signal: (Signal<Int>) -> Signal<Int> = { $0 }
  ) throws -> Row {
    let arena = Arena(observers: observers, signal)
    let result = duel(operations: observers, ours: arena.send, floor: arena.sendToFloor)
    try arena.check(name)
    let row = Row(name, result, goal.map(Row.Goal.ratio))
    report.add(row)
    return row
  }

  /// How often the process allocates during a send, when it has sent before.
  func allocations(
    _ name: String, to observers: Int = 1, _ signal: (Signal<Int>) -> Signal<Int> = { $0 }
  ) throws {
    let arena = Arena(observers: observers, signal)
    let count = 1000
    arena.send(count)
    arena.sendToFloor(count)
    let ours = Allocations.count { arena.send(count) }
    let floor = Allocations.count { arena.sendToFloor(count) }
    try arena.check(name)
    guard let ours, let floor else { return }
    report.add(
      Row(
        name: name, ours: Double(ours.calls) / Double(count),
        baseline: Double(floor.calls) / Double(count), goal: .most(0), unit: "a send"))
  }
}
