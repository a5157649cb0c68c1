import Testing

@testable import Signals

private typealias Strategy = FlattenStrategy

/// What the strategies mean, written down naively: every inner signal there ever was, and its state.
private struct Reference {
  enum State { case waiting, running, completed, stopped, dropped }
  let strategy: Strategy
  /// One for each value, in order.
  var inners: [State] = []
  var isOuterCompleted = false

  var isOver: Bool { isOuterCompleted && !inners.contains(.waiting) && !inners.contains(.running) }
  var running: [Int] { inners.indices.filter { inners[$0] == .running } }

  mutating func next() {
    let limit =
      switch strategy {
      case .merge: Int.max
      case .merge(max: 2): 2
      case .merge(max: 3): 3
      default: 1
      }
    switch strategy {
    case .latest:
      for index in running { inners[index] = .stopped }
      inners.append(.running)
    case .exhaust:
      inners.append(running.isEmpty ? .running : .dropped)
    default:
      inners.append(running.count < limit ? .running : .waiting)
    }
  }

  mutating func completed(_ index: Int) {
    inners[index] = .completed
    if let next = inners.firstIndex(of: .waiting) { inners[next] = .running }
  }
}

/// A machine, the naive reference beside it, and what the machine's ids stand for. A value, so that a search can
/// copy it.
private struct World {
  var machine: FlattenMachine
  var reference: Reference
  /// The value behind each id that was started.
  var started: [Int: Int] = [:]
  var queue: [Int] = []
  var running: Set<Int> = []
  var hasCompleted = false
  var trace: [String] = []

  init(_ strategy: Strategy) {
    machine = FlattenMachine(strategy)
    reference = Reference(strategy: strategy)
  }

  enum Step: CaseIterable { case next, oldestCompletes, newestCompletes, replacedCompletes, outerCompletes }

  /// `false`: that can't happen now.
  mutating func perform(_ step: Step) -> Bool {
    guard !hasCompleted else { return false }
    trace.append("\(step)")
    switch step {
    case .next:
      guard !reference.isOuterCompleted else { return false }
      let value = reference.inners.count
      reference.next()
      switch machine.next() {
      case .start(let id): start(id, value)
      case .replace(let old, let id):
        #expect(running.remove(old) != nil, "\(trace)")
        start(id, value)
      case .wait: queue.append(value)
      case .drop: break
      }
    case .oldestCompletes, .newestCompletes:
      guard let id = step == .oldestCompletes ? running.min() : running.max() else { return false }
      if step == .newestCompletes, running.count == 1 { return false }
      running.remove(id)
      #expect(machine.accepts(id), "\(trace)")
      reference.completed(started[id]!)
      perform(machine.completed(id))
    case .replacedCompletes:
      guard let id = started.keys.first(where: { reference.inners[started[$0]!] == .stopped }) else {
        return false
      }
      #expect(!machine.accepts(id), "\(trace)")
      #expect(machine.completed(id) == nil, "\(trace)")
    case .outerCompletes:
      guard !reference.isOuterCompleted else { return false }
      reference.isOuterCompleted = true
      perform(machine.outerCompleted())
    }
    check()
    return true
  }

  private mutating func start(_ id: Int, _ value: Int) {
    #expect(started.updateValue(value, forKey: id) == nil, "an id is used twice: \(trace)")
    running.insert(id)
  }

  private mutating func perform(_ sequel: FlattenMachine.Sequel?) {
    switch sequel {
    case .startWaiting(let id): start(id, queue.removeFirst())
    case .complete: hasCompleted = true
    case nil: break
    }
  }

  private func check() {
    #expect(Set(running.map { started[$0]! }) == Set(reference.running), "\(trace)")
    #expect(queue == reference.inners.indices.filter { reference.inners[$0] == .waiting }, "\(trace)")
    #expect(hasCompleted == reference.isOver, "\(trace)")
    #expect(machine.running == running.count && machine.waiting == queue.count, "\(trace)")
  }
}

@Suite struct FlattenMachineTests {
  @Test(arguments: [.merge, .merge(max: 2), .merge(max: 3), .concat, .latest, .exhaust] as [FlattenStrategy])
  func `every short sequence of events starts, stops, queues and ends what it should`(
    strategy: FlattenStrategy
  ) {
    var explored = 0
    func explore(_ world: World, _ depth: Int) {
      explored += 1
      guard depth > 0 else { return }
      for step in World.Step.allCases {
        var next = world
        if next.perform(step) { explore(next, depth - 1) }
      }
    }
    explore(World(strategy), 9)
    #expect(explored > 200)
  }

  @Test func `a strategy says its name`() {
    let all: [FlattenStrategy] = [.merge, .merge(max: 2), .merge(max: 1), .concat, .latest, .exhaust]
    #expect(
      all.map(\.description) == ["merge", "merge(max: 2)", "concat", "concat", "latest", "exhaust"])
  }
}
