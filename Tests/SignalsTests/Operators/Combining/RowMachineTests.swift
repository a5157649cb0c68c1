import Testing

@testable import Signals

/// What happens to a machine with several sources.
private enum Step {
  case next(Int)
  case complete(Int)
}

/// What a machine has to answer after a history, by looking at all of it.
private typealias Reference = (_ history: [Step], _ count: Int) -> (row: [Int]?, isOver: Bool)

/// The values of a source are told apart by its number and their position.
private func values(of source: Int, in history: [Step]) -> [Int] {
  let count = history.filter { if case .next(source) = $0 { true } else { false } }.count
  return (0..<count).map { source * 100 + $0 }
}

private func hasCompleted(_ source: Int, in history: [Step]) -> Bool {
  history.contains { if case .complete(source) = $0 { true } else { false } }
}

private func zipReference(_ history: [Step], _ count: Int) -> (row: [Int]?, isOver: Bool) {
  let all = (0..<count).map { values(of: $0, in: history) }
  let before = (0..<count).map { values(of: $0, in: history.dropLast()) }
  let rows = all.map(\.count).min() ?? 0
  let isNew = rows > before.map(\.count).min() ?? 0
  let isOver = (0..<count).contains { hasCompleted($0, in: history) && all[$0].count == rows }
  return (isNew ? all.map { $0[rows - 1] } : nil, isOver)
}

private func combineLatestReference(_ history: [Step], _ count: Int) -> (row: [Int]?, isOver: Bool) {
  let all = (0..<count).map { values(of: $0, in: history) }
  let completed = (0..<count).filter { hasCompleted($0, in: history) }
  let isOver = completed.count == count || completed.contains { all[$0].isEmpty }
  let row = all.compactMap(\.last)
  guard case .next = history.last, row.count == count else { return (nil, isOver) }
  return (row, isOver)
}

/// Walks every sequence of at most `depth` events until the machine is over; returns how many there were.
private func walk<Machine: RowMachine<Int>>(
  _ machine: Machine, count: Int, depth: Int, against reference: Reference, _ history: [Step] = []
) -> Int {
  guard depth > 0 else { return 1 }
  var explored = 1
  for source in 0..<count where !hasCompleted(source, in: history) {
    for step in [Step.next(source), .complete(source)] {
      let history = history + [step]
      var machine = machine
      let answer =
        switch step {
        case .next: machine.next(values(of: source, in: history).last ?? -1, from: source)
        case .complete: RowStep<Int>(row: nil, isOver: machine.complete(source))
        }
      let expected = reference(history, count)
      #expect(answer.row == expected.row, "\(history)")
      #expect(answer.isOver == expected.isOver, "\(history)")
      guard !answer.isOver else { continue }
      explored += walk(machine, count: count, depth: depth - 1, against: reference, history)
    }
  }
  return explored
}

@Suite struct RowMachineTests {
  @Test(arguments: [(1, 8), (2, 8), (3, 5)])
  func `zip answers every short sequence of events as its definition does`(count: Int, depth: Int) {
    let machine = ZipMachine<Int>(count: count)
    #expect(walk(machine, count: count, depth: depth, against: zipReference) > depth)
  }

  @Test(arguments: [(1, 8), (2, 7), (3, 5)])
  func `combineLatest answers every short sequence of events as its definition does`(
    count: Int, depth: Int
  ) {
    let machine = CombineLatestMachine<Int>(count: count)
    #expect(walk(machine, count: count, depth: depth, against: combineLatestReference) > depth)
  }
}
