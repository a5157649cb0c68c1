import Testing

@testable import Signals

@Suite struct ConflatingQueueTests {
  private enum Step: CaseIterable { case value, progress, end, takeAll }

  /// The queue beside a plain list that is searched again for each rule.
  private struct World {
    var queue = ConflatingQueue<Int>()
    var list: [String] = []
    var hasEnded = false
    var count = 0
    var trace: [Step] = []

    mutating func perform(_ step: Step) {
      trace.append(step)
      count += 1
      switch step {
      case .value: append(.next(count))
      case .progress: append(.progress(ProgressUpdate(done: Double(count))))
      case .end: append(.completed)
      case .takeAll:
        var batch = Ring<Event<Int>>()
        queue.takeAll(into: &batch)
        #expect(batch.elements.map(\.description) == list, "\(trace)")
        list = []
      }
      #expect(queue.isEmpty == list.isEmpty, "\(trace)")
    }

    private mutating func append(_ event: Event<Int>) {
      #expect(queue.append(event) == !hasEnded, "\(trace)")
      guard !hasEnded else { return }
      hasEnded = event.isTerminal
      list.append(event.description)
      // Of neighbouring progress only the last stays.
      list = list.indices.filter { index in
        !(list[index].hasPrefix("progress") && list.dropFirst(index + 1).first?.hasPrefix("progress") == true)
      }.map { list[$0] }
    }
  }

  @Test func `every short sequence of events and takings keeps the tail rule`() {
    var explored = 0
    func explore(_ world: World, _ depth: Int) {
      var rest = world
      rest.perform(.takeAll)
      explored += 1
      guard depth > 0 else { return }
      for step in Step.allCases {
        var next = world
        next.perform(step)
        explore(next, depth - 1)
      }
    }
    explore(World(), 7)
    #expect(explored > 10_000)
  }
}
