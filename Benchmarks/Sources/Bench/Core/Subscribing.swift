import Signals

extension CoreGroup {
  /// What it costs to come and go while others stay.
  func subscribe(
    _ name: String, others: Int, goal: Double, _ signal: (Signal<Int>) -> Signal<Int> = { $0 }
  ) throws -> Row {
    let arena = Arena(observers: others, signal)
    let result = duel { count in
      for _ in 0..<count { arena.subscribe().dispose() }
    } floor: { count in
      for _ in 0..<count { arena.floor.dispose(arena.subscribeToFloor()) }
    }
    // Those who left get none of these, the others all.
    arena.send(3)
    arena.sendToFloor(3)
    try arena.check(name)
    let row = Row(name, result, .most(goal))
    report.add(row)
    return row
  }

  /// What an observer occupies, with its share of what the subject keeps, and with the subscription held.
  func bytes(_ name: String, goal: Double) {
    let count = 10_000
    let arena = Arena(observers: 0)
    var subscriptions: [Subscription] = []
    var entries: [Floor.Entry] = []
    subscriptions.reserveCapacity(count)
    entries.reserveCapacity(count)
    let ours = Allocations.count {
      for _ in 0..<count { subscriptions.append(arena.subscribe()) }
    }
    let floor = Allocations.count {
      for _ in 0..<count { entries.append(arena.subscribeToFloor()) }
    }
    guard let ours, let floor else { return }
    withExtendedLifetime((arena, subscriptions, entries)) {
      report.add(
        Row(
          name: name, ours: Double(ours.bytes) / Double(count),
          baseline: Double(floor.bytes) / Double(count), goal: .most(goal), unit: "bytes"))
    }
  }
}
