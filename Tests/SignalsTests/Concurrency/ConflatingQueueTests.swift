import Testing

@testable import Signals

@Suite struct ConflatingQueueTests {
  private enum Step: CaseIterable { case value, progress, end, pop, popValue, takeAll }

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
      case .pop:
        let expected = list.isEmpty ? nil : list.removeFirst()
        #expect(queue.popFirst()?.description == expected, "\(trace)")
      case .popValue:
        let index = list.firstIndex { $0.hasPrefix("next") }
        #expect(queue.popFirstValue().map { "next(\($0))" } == index.map { list.remove(at: $0) }, "\(trace)")
        conflate()
      case .takeAll:
        var batch = Ring<Event<Int>>()
        queue.takeAll(into: &batch)
        #expect(batch.elements.map(\.description) == list, "\(trace)")
        list = []
      }
      #expect(queue.isEmpty == list.isEmpty, "\(trace)")
      #expect(queue.hasEnded == hasEnded, "\(trace)")
      #expect(queue.valueCount == list.count { $0.hasPrefix("next") }, "\(trace)")
    }

    private mutating func append(_ event: Event<Int>) {
      #expect(queue.append(event) == !hasEnded, "\(trace)")
      guard !hasEnded else { return }
      hasEnded = event.isTerminal
      list.append(event.description)
      conflate()
    }

    /// Of neighbouring progress only the last stays.
    private mutating func conflate() {
      list = list.indices.filter { index in
        !(list[index].hasPrefix("progress") && list.dropFirst(index + 1).first?.hasPrefix("progress") == true)
      }.map { list[$0] }
    }

    func checkRest() {
      var rest = self
      var left: [String] = []
      while let event = rest.queue.popFirst() { left.append(event.description) }
      #expect(left == list, "\(trace)")
    }
  }

  @Test func `every short sequence of events and takings keeps the tail rule`() {
    var explored = 0
    func explore(_ world: World, _ depth: Int) {
      world.checkRest()
      explored += 1
      guard depth > 0 else { return }
      for step in Step.allCases {
        var next = world
        next.perform(step)
        explore(next, depth - 1)
      }
    }
    explore(World(), 6)
    #expect(explored > 10_000)
  }

  @Test func `the ring keeps its order when it grows with a prepended element`() {
    var ring = Ring<Int>()
    for value in 0..<4 { ring.append(value) }
    #expect(ring.popFirst() == 0)
    ring.append(4)
    ring.prepend(0)
    ring.prepend(-1)
    #expect(Array(ring.elements) == [-1, 0, 1, 2, 3, 4])
    #expect(ring.first == -1)
  }
}
