import Testing

@testable import Signals

/// The world around a `ShareMachine`: performs its actions at moments of the test's choosing and checks the rules
/// at each step. A value, so that a search can copy it.
private struct World {
  struct Seat {
    var generation: UInt64
    var hasArrived: Bool
    /// The run had ended for good when it came: then there is no seat to give back.
    var isLate: Bool
  }

  var machine: ShareMachine
  var nextID: UInt64 = 1
  /// Who sits in which run, those included whom the end of their run has reached but who have not gone yet.
  var seats: [UInt64: Seat] = [:]
  var reached: [UInt64: UInt64] = [:]
  /// Runs whose start has not returned, that are up, whose stop has not returned.
  var starting: UInt64?
  var running: UInt64?
  var stopping: UInt64?
  /// The run of `starting` has ended, or everybody has left it.
  var isAbandoned = false
  var latched: UInt64?
  var armed: [UInt64] = []
  var fresh: UInt64?
  var starts = 0
  var stops = 0
  var trace: [Step] = []
  var faults: [String] = []

  init(_ rules: ShareMachine.Rules) { machine = ShareMachine(rules) }

  enum Step: CaseIterable {
    case join, arrive, withdraw, leaveOldest, leaveNewest, leaveReached, startReturns, stopReturns
    case abandon, freshLinger, staleLinger, fails, completes, endsUnwanted
  }

  private mutating func check(_ isRight: Bool, _ rule: String) {
    if !isRight { faults.append("\(rule): \(trace)") }
  }

  /// `false`: that can't happen now.
  mutating func perform(_ step: Step) -> Bool {
    trace.append(step)
    switch step {
    case .join: join()
    case .arrive:
      guard let id = seats.filter({ !$0.value.hasArrived }).keys.min(), let seat = seats[id] else {
        return false
      }
      seats[id]?.hasArrived = true
      perform(machine.arrived(seat.generation))
    case .withdraw:
      guard let id = seats.filter({ !$0.value.hasArrived }).keys.min() else { return false }
      leave(id)
    case .leaveOldest, .leaveNewest:
      let ids = seats.filter { $0.value.hasArrived }.keys
      guard let id = step == .leaveNewest ? ids.max() : ids.min() else { return false }
      leave(id)
    case .leaveReached:
      guard let id = reached.keys.min(), let generation = reached.removeValue(forKey: id) else {
        return false
      }
      let before = machine
      check(machine.leave(generation) == nil, "who goes after the end does nothing")
      check(machine.observers == before.observers && machine.phase == before.phase, "nor is it counted")
    case .abandon:
      guard let generation = starting ?? running ?? stopping else { return false }
      let ids = seats.filter { $0.value.generation == generation }.keys
      let isAlone = starting != nil && !isAbandoned && ids.count == 1
      let phase = machine.phase
      check(machine.abandon(generation) == isAlone, "only who is alone while the run starts abandons it")
      guard isAlone, let id = ids.first else {
        check(machine.phase == phase, "what is not abandoned goes on")
        return false
      }
      seats[id] = nil
      reached[id] = generation
      isAbandoned = true
      check(!machine.isWanted(generation), "a run that is abandoned is not wanted")
    case .startReturns:
      guard let generation = starting else { return false }
      (starting, running) = (nil, generation)
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
      check(machine.lingered(token) == nil && machine.phase == phase, "a late timer does nothing")
    case .fails, .completes:
      guard let generation = starting ?? running, !isAbandoned else { return false }
      end(generation, step == .fails ? .failed : .completed)
    case .endsUnwanted:
      guard let generation = stopping ?? (isAbandoned ? starting : nil) else { return false }
      let phase = machine.phase
      check(
        machine.ended(generation, .failed) == nil && machine.phase == phase, "an unwanted end does nothing")
      check(machine.isLatched == (latched != nil), "nor does it latch")
    }
    return true
  }

  private mutating func join() {
    let generation = machine.openGeneration
    let isNext = generation > machine.generation
    // The naive rule: the end for good, else the run that goes on, else the next one.
    let goesOn = isAbandoned ? nil : starting ?? running
    check(generation == latched ?? goesOn ?? UInt64(starts + 1), "who comes gets the wrong run")
    let action = machine.join()
    if latched == nil {
      seats[nextID] = Seat(generation: generation, hasArrived: !isNext, isLate: false)
    } else {
      reached[nextID] = generation
    }
    nextID += 1
    perform(action)
  }

  private mutating func leave(_ id: UInt64) {
    guard let seat = seats.removeValue(forKey: id) else { return }
    if seat.generation == starting, !seats.values.contains(where: { $0.generation == starting }) {
      isAbandoned = true
    }
    perform(machine.leave(seat.generation, hasArrived: seat.hasArrived))
  }

  private mutating func end(_ generation: UInt64, _ ending: ShareMachine.Ending) {
    if starting != nil { isAbandoned = true }
    let policy = ending == .failed ? machine.rules.onFailure : machine.rules.onCompletion
    if policy == .latch { latched = generation }
    for (id, seat) in seats where seat.generation == generation {
      seats[id] = nil
      reached[id] = generation
    }
    perform(machine.ended(generation, ending))
    check(machine.isLatched == (latched != nil), "latched by its policy, and only then")
    check(!machine.isWanted(generation), "a run that has ended is not wanted")
  }

  private mutating func perform(_ action: ShareMachine.Action?) {
    switch action {
    case .start(let generation):
      check(starting == nil && running == nil && stopping == nil, "two runs at once")
      check(latched == nil, "started after the last run")
      check(seats.values.contains { $0.hasArrived }, "started before anybody was attached")
      check(seats.values.allSatisfy { $0.generation == generation }, "started with somebody elsewhere")
      starting = generation
      isAbandoned = false
      starts += 1
    case .stop(let generation):
      check(running == generation, "stopped what does not run")
      check(!seats.values.contains { $0.generation == generation }, "stopped under an observer")
      (running, stopping, fresh, isAbandoned) = (nil, generation, nil, false)
      stops += 1
    case .linger(let token):
      armed.append(token)
      fresh = token
    case .cancelLinger(let token):
      check(token == fresh, "cancelled another linger")
      fresh = nil
    case nil: break
    }
    if let running, fresh == nil {
      check(seats.values.contains { $0.generation == running }, "a run without observers goes on")
    }
  }

  /// Lets everything finish: then a run is up if and only if somebody listens.
  mutating func settle() {
    while perform(.arrive) || perform(.startReturns) || perform(.stopReturns) || perform(.freshLinger) {}
    check((running != nil) == !seats.isEmpty, "a run is up if and only if somebody listens")
    check(machine.phase == (seats.isEmpty ? .idle : .active), "it rests in a phase of its own")
    check(seats.values.allSatisfy { $0.generation == running }, "all are in the run that goes on")
    check(starts == stops + (running == nil ? 0 : 1), "each start has its stop")
    check(machine.waiting == 0 && machine.arrived == 0, "nobody waits")
    check(machine.observers == seats.count, "each is counted once")
  }
}

@Suite(.timeLimit(.minutes(2))) struct ShareMachineTests {
  @Test(arguments: [true, false], ShareEndPolicy.allCases)
  func `every short sequence of events keeps the rules`(lingers: Bool, onFailure: ShareEndPolicy) {
    var explored = 0
    var faults: [String] = []
    func explore(_ world: World, _ depth: Int) {
      var settled = world
      settled.settle()
      explored += 1
      if !settled.faults.isEmpty { faults += settled.faults }
      guard depth > 0, faults.count < 5 else { return }
      for step in World.Step.allCases {
        var next = world
        if next.perform(step) { explore(next, depth - 1) }
      }
    }
    for onCompletion in ShareEndPolicy.allCases {
      explore(World(.init(lingers: lingers, onFailure: onFailure, onCompletion: onCompletion)), 9)
    }
    #expect(faults == [])
    #expect(explored > 10_000)
  }

  @Test func `who comes back within the linger joins the same run`() {
    var machine = ShareMachine(.init(lingers: true))
    #expect(machine.join() == nil)
    #expect(machine.arrived(1) == .start(generation: 1))
    #expect(machine.started(1) == nil)
    #expect(machine.leave(1) == .linger(token: 1))
    #expect(machine.openGeneration == 1)
    #expect(machine.join() == .cancelLinger(token: 1))
    #expect(machine.lingered(1) == nil)
    #expect(machine.phase == .active)
  }

  @Test func `who comes while the old run stops waits for the next`() {
    var machine = ShareMachine(.init())
    _ = machine.join()
    _ = machine.arrived(1)
    _ = machine.started(1)
    #expect(machine.leave(1) == .stop(generation: 1))
    #expect(machine.openGeneration == 2)
    #expect(machine.join() == nil)
    #expect(machine.arrived(2) == nil)
    #expect(machine.stopped(1) == .start(generation: 2))
  }

  @Test func `a run starts for one who is attached, not for one who is about to be`() {
    var machine = ShareMachine(.init())
    _ = machine.join()
    _ = machine.join()
    #expect(machine.phase == .idle)
    #expect(machine.arrived(1) == .start(generation: 1))
    #expect(machine.observers == 2)
    #expect(machine.arrived(1) == nil)
  }

  @Test func `after a latched end everybody belongs to that run, while it stops and later`() {
    var machine = ShareMachine(.init(onFailure: .latch))
    _ = machine.join()
    _ = machine.arrived(1)
    #expect(machine.ended(1, .failed) == nil)
    #expect(machine.openGeneration == 1)
    #expect(machine.started(1) == .stop(generation: 1))
    #expect(machine.openGeneration == 1)
    #expect(machine.stopped(1) == nil)
    #expect(machine.openGeneration == 1)
    #expect(machine.join() == nil)
    #expect(machine.leave(1) == nil)
    #expect(!machine.isWanted(1))
  }
}
