import Testing

@testable import Signals

/// The world around a `ShareMachine`: performs its actions at moments of the test's choosing and checks the rules
/// at each step. A value, so that a search can copy it.
private struct World {
  var machine: ShareMachine
  var nextID: UInt64 = 1
  /// Who is attached to which run.
  var attached: [UInt64: UInt64] = [:]
  /// Runs whose start has not returned, that are up, whose stop has not returned.
  var starting: UInt64?
  var running: UInt64?
  var stopping: UInt64?
  var hasEndedWhileStarting = false
  var armed: [UInt64] = []
  var fresh: UInt64?
  var starts = 0
  var stops = 0
  var trace: [String] = []

  init(lingers: Bool) { machine = ShareMachine(lingers: lingers) }

  enum Step: CaseIterable {
    case join, leaveOldest, leaveNewest, leaveTwice, startReturns, stopReturns
    case freshLinger, staleLinger, sourceEnds
  }

  /// `false`: that can't happen now.
  mutating func perform(_ step: Step) -> Bool {
    trace.append("\(step)")
    switch step {
    case .join:
      let (generation, action) = machine.join(nextID)
      attached[nextID] = generation
      nextID += 1
      perform(action)
    case .leaveOldest, .leaveNewest, .leaveTwice:
      let id = step == .leaveNewest ? attached.keys.max() : attached.keys.min()
      guard let id else { return false }
      attached[id] = nil
      perform(machine.leave(id))
      if step == .leaveTwice { #expect(machine.leave(id) == nil, "\(trace)") }
    case .startReturns:
      guard let generation = starting else { return false }
      starting = nil
      running = generation
      perform(machine.started(generation))
    case .stopReturns:
      guard let generation = stopping else { return false }
      stopping = nil
      perform(machine.stopped(generation))
    case .freshLinger:
      guard let token = fresh else { return false }
      fresh = nil
      perform(machine.lingered(token))
    case .staleLinger:
      guard let token = armed.first(where: { $0 != fresh }) else { return false }
      let phase = machine.phase
      #expect(machine.lingered(token) == nil, "\(trace)")
      #expect(machine.phase == phase, "\(trace)")
    case .sourceEnds:
      guard !hasEndedWhileStarting, let generation = starting ?? running else { return false }
      if starting != nil { hasEndedWhileStarting = true }
      for (id, run) in attached where run == generation { attached[id] = nil }
      perform(machine.ended(generation))
    }
    return true
  }

  private mutating func perform(_ action: ShareMachine.Action?) {
    switch action {
    case .start(let generation):
      #expect(starting == nil && running == nil && stopping == nil, "two runs at once: \(trace)")
      #expect(!attached.isEmpty && attached.values.allSatisfy { $0 == generation }, "\(trace)")
      starting = generation
      hasEndedWhileStarting = false
      starts += 1
    case .stop(let generation):
      #expect(running == generation, "stopped what does not run: \(trace)")
      #expect(!attached.values.contains(generation), "stopped under an observer: \(trace)")
      running = nil
      stopping = generation
      stops += 1
    case .linger(let token):
      armed.append(token)
      fresh = token
    case .cancelLinger:
      fresh = nil
    case nil: break
    }
    if let running, stopping == nil, fresh == nil {
      #expect(attached.values.contains(running), "a run without observers goes on: \(trace)")
    }
  }

  /// Lets everything finish: then a run is up if and only if somebody listens.
  mutating func settle() {
    while perform(.startReturns) || perform(.stopReturns) || perform(.freshLinger) {}
    #expect((running != nil) == !attached.isEmpty, "\(trace)")
    #expect(machine.phase == (attached.isEmpty ? .idle : .active), "\(trace)")
    #expect(attached.values.allSatisfy { $0 == running }, "\(trace)")
    #expect(starts == stops + (running == nil ? 0 : 1), "\(trace)")
    #expect(machine.waiting.isEmpty, "\(trace)")
  }
}

@Suite struct ShareMachineTests {
  @Test(arguments: [true, false])
  func `every short sequence of events keeps the rules`(lingers: Bool) {
    var explored = 0
    func explore(_ world: World, _ depth: Int) {
      var settled = world
      settled.settle()
      explored += 1
      guard depth > 0 else { return }
      for step in World.Step.allCases {
        var next = world
        if next.perform(step) { explore(next, depth - 1) }
      }
    }
    explore(World(lingers: lingers), 8)
    #expect(explored > 10_000)
  }

  @Test func `who comes back within the linger joins the same run`() {
    var machine = ShareMachine(lingers: true)
    #expect(machine.join(1) == (1, .start(generation: 1)))
    #expect(machine.started(1) == nil)
    #expect(machine.leave(1) == .linger(token: 1))
    #expect(machine.join(2) == (1, .cancelLinger))
    #expect(machine.lingered(1) == nil)
    #expect(machine.phase == .active)
  }

  @Test func `who comes while the old run stops waits for the next`() {
    var machine = ShareMachine(lingers: false)
    _ = machine.join(1)
    _ = machine.started(1)
    #expect(machine.leave(1) == .stop(generation: 1))
    #expect(machine.join(2) == (2, nil))
    #expect(machine.stopped(1) == .start(generation: 2))
  }
}

private func == (
  left: (generation: UInt64, action: ShareMachine.Action?), right: (UInt64, ShareMachine.Action?)
) -> Bool {
  left.generation == right.0 && left.action == right.1
}
