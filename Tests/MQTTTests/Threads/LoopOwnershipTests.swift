import Fuzzing
import Testing

@testable import MQTT

/// `LoopOwnership` and `StandbyWatch` in a small model of threads: every order of what they can do, to a depth, and
/// long random ones.
@Suite(.timeLimit(.minutes(2)))
struct LoopOwnershipTests {
  @Test("In every order of events one thread owns the loop, or one stint is open, and nobody is forgotten")
  func allOrders() throws {
    var seen: Set<OwnershipModel> = [OwnershipModel()]
    var edge: [OwnershipModel] = [OwnershipModel()]
    var takes = 0
    for _ in 0..<17 {
      var next: [OwnershipModel] = []
      for model in edge {
        for step in model.steps {
          var changed = model
          try changed.take(step)
          takes += changed.takes - model.takes
          if seen.insert(changed).inserted { next.append(changed) }
        }
      }
      edge = next
    }
    #expect(seen.count > 5_000, "\(seen.count)")
    #expect(takes > 500, "\(takes)")
  }

  @Test("Long random walks keep the same rules, and all threads leave after the end", arguments: 0..<200)
  func walks(_ seed: Int) throws {
    var generator = Dice(seed: UInt64(seed))
    var model = OwnershipModel()
    for _ in 0..<500 {
      let steps = model.steps.filter { $0 != .end }
      guard let step = steps.randomElement(using: &generator) else { break }
      try model.take(step)
    }
    // Then the loop is ended as soon as somebody can, and everybody does what is left to do.
    for _ in 0..<200 {
      let steps = model.steps.filter { step in
        switch step {
        case .open, .publish, .expire: false
        default: true
        }
      }
      guard let step = steps.first(where: { $0 == .end }) ?? steps.randomElement(using: &generator) else {
        break
      }
      try model.take(step)
    }
    #expect(model.ownership.isOver)
    #expect(model.threads.isEmpty, "\(model.threads)")
  }

  @Test("The word that threads share says all that the value does", arguments: [0, 1, 77, UInt32.max])
  func roundTrip(_ stint: UInt32) {
    for flags in 0..<UInt64(64) {
      let rawValue = UInt64(stint) << 8 | flags
      #expect(LoopOwnership(rawValue: rawValue).rawValue == rawValue)
    }
  }

  @Test("A stint is told from the one that comes after the counter has gone round")
  func wraps() {
    var ownership = LoopOwnership(rawValue: UInt64(UInt32.max) << 8)
    _ = ownership.open()
    #expect(ownership.stint == 0)
    #expect(!({ ownership.close(UInt32.max) }()))
    #expect(({ ownership.close(0) }()))
  }

  @Test("A stint that lasts is taken after a look of a millisecond when something waits, else after a tick")
  func patience() {
    for (hasWork, asks) in [(false, false), (true, false), (false, true)] {
      var ownership = LoopOwnership()
      var watch = StandbyWatch()
      #expect(({ ownership.open() }()) == .start)
      if asks { #expect(({ ownership.ask() }()) == .wake) }
      let pause = hasWork || asks ? StandbyWatch.patience : StandbyWatch.tick
      #expect(({ watch.look(&ownership, wasCalled: true, hasWork: hasWork) }()) == .look(after: pause))
      #expect(({ watch.look(&ownership, wasCalled: false, hasWork: hasWork) }()) == .take)
      #expect(!({ ownership.close(1) }()))
    }
  }

  @Test(
    "An urgent stint is taken at the first look, in whichever stint that comes; never while the loop is owned"
  )
  func urgency() {
    var ownership = LoopOwnership()
    var watch = StandbyWatch()
    #expect(({ ownership.open(isUrgent: true) }()) == .start)
    #expect(({ ownership.close(1) }()))
    #expect(
      ({ watch.look(&ownership, wasCalled: true, hasWork: false) }()) == .look(after: StandbyWatch.tick))
    #expect(({ ownership.open(isUrgent: true) }()) == .wake)
    #expect(({ ownership.close(2) }()))
    _ = ownership.open(isUrgent: true)
    #expect(({ watch.look(&ownership, wasCalled: true, hasWork: false) }()) == .take)
    #expect(!({ ownership.close(3) }()))
    #expect(({ ownership.open() }()) == .start)
    #expect(
      ({ watch.look(&ownership, wasCalled: true, hasWork: false) }()) == .look(after: StandbyWatch.tick))
  }

  @Test("Only the first who asks in a stint wakes the standby, and none while the loop is owned")
  func asks() {
    var ownership = LoopOwnership()
    #expect(({ ownership.ask() }()) == .nothing)
    _ = ownership.open()
    #expect(({ ownership.ask() }()) == .wake)
    #expect(({ ownership.ask() }()) == .nothing)
    #expect(({ ownership.close(1) }()))
    #expect(({ ownership.ask() }()) == .nothing)
    #expect(({ ownership.open() }()) == .nothing)
    #expect(({ ownership.ask() }()) == .wake)
  }
}

/// What threads around one ``LoopOwnership`` can do, each step as atomic as it is there.
struct OwnershipModel: Hashable {
  enum Place: Hashable {
    /// Has the loop.
    case owning
    /// Runs code of the user that may have lost the loop.
    case inside(stint: UInt32)
    /// Looks next; `wasCalled` by a signal.
    case looking(wasCalled: Bool)
    /// Waits for a signal; `untimed` without an end.
    case waiting(untimed: Bool)
    /// Has lost the loop and is back.
    case back
  }

  enum Step: Hashable {
    case open(Int, urgent: Bool)
    case close(Int)
    case look(Int, hasWork: Bool)
    /// The wait of a standby ends by itself.
    case expire(Int)
    /// The wait of a standby ends by a signal.
    case signalled(Int)
    case standBy(Int)
    /// Somebody outside asks for the loop.
    case publish
    case end
  }

  struct Broken: Error, CustomStringConvertible {
    var description: String
  }

  var ownership = LoopOwnership()
  var threads: [Int: Place] = [0: .owning]
  var watches: [Int: Watch] = [:]
  var signals = 0
  private var newest = 0
  /// The looks at the present stint whose wait was not cut short.
  private var looks = 0
  var takes = 0

  /// A watch can't be compared; two that have been told the same are the same.
  struct Watch: Hashable {
    var value = StandbyWatch()
    var seen: UInt32?
    static func == (left: Self, right: Self) -> Bool { left.seen == right.seen }
    func hash(into hasher: inout Hasher) { hasher.combine(seen) }
  }

  static func == (left: Self, right: Self) -> Bool {
    left.ownership.rawValue == right.ownership.rawValue && left.threads == right.threads
      && left.watches == right.watches && left.signals == right.signals && left.looks == right.looks
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ownership.rawValue)
    hasher.combine(threads)
    hasher.combine(signals)
  }

  /// All that can happen now.
  var steps: [Step] {
    var steps: [Step] = signals < 3 ? [.publish] : []
    for (id, place) in threads.sorted(by: { $0.key < $1.key }) {
      switch place {
      case .owning:
        if threads.count < 4 { steps += [.open(id, urgent: false), .open(id, urgent: true)] }
        steps.append(.end)
      case .inside: steps.append(.close(id))
      case .looking: steps += [.look(id, hasWork: false), .look(id, hasWork: true)]
      case .waiting(let untimed):
        if !untimed { steps.append(.expire(id)) }
        if signals > 0 { steps.append(.signalled(id)) }
      case .back: steps.append(.standBy(id))
      }
    }
    return steps
  }

  mutating func take(_ step: Step) throws {
    switch step {
    case .open(let id, let urgent):
      let call = ownership.open(isUrgent: urgent)
      looks = 0
      threads[id] = .inside(stint: ownership.stint)
      carryOut(call)
    case .close(let id):
      guard case .inside(let stint)? = threads[id] else { return }
      let isOwner = ownership.isOpen && ownership.stint == stint
      let isClosed = ownership.close(stint)
      if isClosed != isOwner { throw Broken(description: "\(id) closed \(stint): \(isClosed)") }
      threads[id] = isClosed ? .owning : .back
    case .look(let id, let hasWork):
      try look(id, hasWork: hasWork)
    case .expire(let id):
      threads[id] = .looking(wasCalled: false)
    case .signalled(let id):
      signals -= 1
      threads[id] = .looking(wasCalled: true)
    case .standBy(let id):
      if ownership.standBy() {
        threads[id] = .looking(wasCalled: true)
        watches[id] = Watch()
      } else {
        threads[id] = nil
      }
    case .publish:
      carryOut(ownership.ask())
    case .end:
      let call = ownership.end()
      for (id, place) in threads where place == .owning { threads[id] = nil }
      carryOut(call)
    }
    try check()
  }

  private mutating func look(_ id: Int, hasWork: Bool) throws {
    guard case .looking(let wasCalled)? = threads[id], var watch = watches[id] else { return }
    let before = ownership
    let isSame = watch.seen == before.stint
    let decision = watch.value.look(&ownership, wasCalled: wasCalled, hasWork: hasWork)
    watch.seen = before.stint
    watches[id] = watch
    if before.isOpen, isSame, !wasCalled { looks += 1 }
    switch decision {
    case .take:
      guard before.isOpen else { throw Broken(description: "took a closed stint") }
      threads[id] = .owning
      watches[id] = nil
      takes += 1
      looks = 0
    case .look: threads[id] = .waiting(untimed: false)
    case .sleep: threads[id] = .waiting(untimed: true)
    case .leave:
      threads[id] = nil
      watches[id] = nil
    }
    if looks > 0, decision != .leave { throw Broken(description: "a stint lasts and is not taken") }
  }

  private mutating func carryOut(_ call: LoopOwnership.Call) {
    switch call {
    case .nothing: break
    case .wake: signals += 1
    case .start:
      newest += 1
      threads[newest] = .looking(wasCalled: true)
      watches[newest] = Watch()
    }
  }

  private func check() throws {
    let owners = threads.values.count { $0 == .owning }
    let stints = threads.values.count { $0 == .inside(stint: ownership.stint) }
    let standbys = threads.values.count { place in
      switch place {
      case .looking, .waiting: true
      default: false
      }
    }
    let expected = ownership.isOver ? (0, 0) : ownership.isOpen ? (0, 1) : (1, 0)
    if owners != expected.0 || (ownership.isOpen && stints != 1) {
      throw Broken(description: "\(owners) owners, \(stints) open stints: \(self)")
    }
    if standbys > 1 { throw Broken(description: "\(standbys) standbys") }
    if !ownership.isOver, standbys != (ownership.hasStandby ? 1 : 0) {
      throw Broken(description: "a standby nobody knows of, or one that is not there: \(self)")
    }
    // Who sleeps without an end while the loop is open, or over, has a signal on its way.
    if ownership.isOpen || ownership.isOver, threads.values.contains(.waiting(untimed: true)), signals == 0 {
      throw Broken(description: "a standby sleeps for ever: \(self)")
    }
  }
}
