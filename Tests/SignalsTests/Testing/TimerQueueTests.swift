import Testing

@testable import SignalsTesting

/// A queue beside the plainest thing that does the same.
private struct Pair {
  private struct Entry {
    let due: Int
    let isEarly: Bool
    let id: Int
  }

  var queue = TimerQueue<Int>()
  /// By their order of coming.
  private var entries: [Entry] = []
  private(set) var ids: [Int] = []
  private(set) var trace: [String] = []

  mutating func add(due: Int, isEarly: Bool) {
    trace.append("add \(due)\(isEarly ? " early" : "")")
    let id = queue.add(ids.count, due: .seconds(due), isEarly: isEarly)
    entries.append(Entry(due: due, isEarly: isEarly, id: ids.count))
    ids.append(id)
    check()
  }

  mutating func remove(_ index: Int) {
    trace.append("remove \(index)")
    let found = entries.firstIndex { $0.id == index }.map { entries.remove(at: $0).id }
    let removed = queue.remove(ids[index])
    #expect(removed == found, "\(trace)")
    check()
  }

  mutating func take(upTo end: Int?) {
    trace.append("take \(end.map(String.init) ?? "any")")
    // `min` gives the first of equal ones.
    let first = entries.min { ($0.due, $0.isEarly ? 0 : 1) < ($1.due, $1.isEarly ? 0 : 1) }
    let expected = first.flatMap { first in end.map { first.due <= $0 } ?? true ? first : nil }
    entries.removeAll { $0.id == expected?.id }
    let taken = queue.takeFirst(upTo: end.map { .seconds($0) })
    #expect(taken?.work == expected?.id, "\(trace)")
    #expect(taken?.due == expected.map { .seconds($0.due) }, "\(trace)")
    check()
  }

  var isEmpty: Bool { entries.isEmpty }

  /// What can be done next; removals also of what is gone already.
  var steps: [(inout Pair) -> Void] {
    let removals = Set([0, ids.count / 2, ids.count - 1]).filter(ids.indices.contains).sorted()
    return [
      { $0.add(due: 1, isEarly: false) }, { $0.add(due: 2, isEarly: false) },
      { $0.add(due: 2, isEarly: true) }, { $0.take(upTo: 1) }, { $0.take(upTo: nil) },
    ] + removals.map { index in { $0.remove(index) } }
  }

  private func check() {
    if queue.count != entries.count { Issue.record("\(queue.count) and not \(entries.count): \(trace)") }
  }
}

@Suite(.timeLimit(.minutes(2))) struct TimerQueueTests {
  @Test func `every short sequence does what a list that is searched does`() {
    var explored = 0
    func explore(_ pair: Pair, _ depth: Int) {
      var settled = pair
      while !settled.isEmpty { settled.take(upTo: nil) }
      settled.take(upTo: nil)
      explored += 1
      guard depth > 0 else { return }
      for step in pair.steps {
        var next = pair
        step(&next)
        explore(next, depth - 1)
      }
    }
    explore(Pair(), 5)
    #expect(explored > 5_000)
  }

  @Test(arguments: 1...4)
  func `a long walk with many removals does too`(seed: UInt64) {
    var state = seed
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var pair = Pair()
    for step in 0..<1500 {
      // Filling and emptying in turn: the keys that removals leave behind are cleared in large numbers too.
      let isFilling = step / 300 % 2 == 0
      switch random(10) {
      case 0..<(isFilling ? 7 : 2): pair.add(due: random(50), isEarly: random(4) == 0)
      case ..<9 where !pair.ids.isEmpty: pair.remove(random(pair.ids.count))
      default: pair.take(upTo: random(2) == 0 ? random(50) : nil)
      }
    }
    while !pair.isEmpty { pair.take(upTo: nil) }
  }

  @Test func `what is added and removed again and again costs no memory`() {
    var queue = TimerQueue<Int>()
    for number in 0..<10 { _ = queue.add(number, due: .seconds(number)) }
    for number in 0..<10_000 {
      let id = queue.add(number, due: .seconds(100))
      #expect(queue.remove(id) == number)
    }
    #expect(queue.count == 10)
    #expect(queue.keyCount < 40)
  }
}
