import Testing

@testable import Signals

@Suite struct RingTests {
  private enum Step: CaseIterable {
    case append, prepend, popFirst, removeLast, removeFirstEven, replaceLastEven, replaceLastIfEven
  }

  /// The ring beside an array.
  private struct World {
    var ring = Ring<Int>()
    var list: [Int] = []
    var count = 0
    var trace: [Step] = []

    /// `false`: that can't happen now.
    mutating func perform(_ step: Step) -> Bool {
      trace.append(step)
      count += 1
      switch step {
      case .append:
        ring.append(count)
        list.append(count)
      case .prepend:
        ring.prepend(count)
        list.insert(count, at: 0)
      case .popFirst:
        #expect(ring.popFirst() == list.first, "\(trace)")
        list = Array(list.dropFirst())
      case .removeLast:
        guard list.popLast() != nil else { return false }
        ring.removeLast()
      case .removeFirstEven:
        let index = list.firstIndex { $0.isMultiple(of: 2) }
        let removed = ring.removeFirst { $0.isMultiple(of: 2) }
        #expect(removed == index.map { list[$0] }, "\(trace)")
        if let index { list.remove(at: index) }
      case .replaceLastEven:
        replace(at: list.lastIndex { $0.isMultiple(of: 2) }, odd: .lookFurther)
      case .replaceLastIfEven:
        replace(at: list.indices.last.flatMap { list[$0].isMultiple(of: 2) ? $0 : nil }, odd: .stop)
      }
      #expect(Array(ring.elements) == list, "\(trace)")
      #expect(ring.first == list.first && ring.last == list.last, "\(trace)")
      #expect(ring.count == list.count && ring.isEmpty == list.isEmpty, "\(trace)")
      return true
    }

    private mutating func replace(at index: Int?, odd: TailStep) {
      let replaced = ring.replaceInTail(count) { $0.isMultiple(of: 2) ? .replace : odd }
      #expect(replaced == index.map { list[$0] }, "\(trace)")
      if let index { list[index] = count }
    }
  }

  @Test func `every short sequence of changes leaves what an array would hold`() {
    var explored = 0
    func explore(_ world: World, _ depth: Int) {
      explored += 1
      guard depth > 0 else { return }
      for step in Step.allCases {
        var next = world
        if next.perform(step) { explore(next, depth - 1) }
      }
    }
    explore(World(), 5)
    // Full, with its head in the middle: the next one makes it grow.
    var turned = World()
    for step in [Step.append, .append, .popFirst, .popFirst, .append, .append, .append, .append] {
      _ = turned.perform(step)
    }
    explore(turned, 5)
    #expect(explored > 20_000)
  }

  @Test func `what is looked for in the tail is looked for only so far`() {
    var ring = Ring<Int>()
    for value in 0..<65 { ring.append(value) }
    #expect(ring.replaceInTail(-1) { $0 == 0 ? .replace : .lookFurther } == nil)
    #expect(ring.replaceInTail(-1) { $0 == 1 ? .replace : .lookFurther } == 1)
    #expect(ring.elements.prefix(2) == [0, -1])
  }

  @Test func `an empty ring keeps its storage, but not that of a long backlog`() {
    for (count, isKept) in [(4_096, true), (4_097, false)] {
      var ring = Ring<Int>()
      for value in 0..<count { ring.append(value) }
      ring.trim()
      #expect(ring.count == count)
      while ring.popFirst() != nil {}
      ring.trim()
      #expect((ring.storage.count > 0) == isKept)
    }
  }
}
