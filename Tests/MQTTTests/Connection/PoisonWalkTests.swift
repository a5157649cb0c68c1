import Fuzzing
import Testing

@testable import MQTT

/// A sender with a window, a detector, and a broker that ends links; no threads, no sockets.
private struct PoisonWorld {
  enum Broker: CaseIterable {
    /// Ends the link at the poison only.
    case picky
    /// Ends each link soon after it has accepted it, whatever is sent.
    case closing
    /// Another client pushes this one out at any time; acknowledges what was sent until then, but for the last.
    case contested
    /// The network breaks at any time.
    case cut
  }

  let broker: Broker
  let poison: Set<Int>
  let resumes: Bool
  var dice: Dice
  var detector = PoisonDetector()
  var waiting: [Int]
  var flying: [Int] = []
  var arrived: Set<Int> = []
  var failed: [Int] = []
  var faults: [String] = []
  var links = 0
  var now = ContinuousClock.now

  init(_ broker: Broker, seed: UInt64) {
    var dice = Dice(seed: seed)
    self.broker = broker
    waiting = Array(1...Int.random(in: 1...12, using: &dice))
    let count = Int.random(in: 1...2, using: &dice)
    poison = broker == .picky ? Set((0..<count).map { _ in Int.random(in: 1...12, using: &dice) }) : []
    resumes = Bool.random(using: &dice)
    self.dice = dice
  }

  var isDone: Bool { waiting.isEmpty && flying.isEmpty }

  mutating func playLink() {
    links += 1
    if !resumes {
      waiting = flying + waiting
      flying = []
    }
    let wasTrying = detector.isTrying
    detector.linked(resumed: flying, keepAlive: .seconds(60), at: now)
    if broker == .closing {
      while detector.maySend(at: now), flying.count < 5, !waiting.isEmpty {
        detector.sent(waiting[0], at: now)
        flying.append(waiting.removeFirst())
      }
      return end(.closedByBroker)
    }
    /// What the broker reads in this link, in order: all that is resumed, or its first in a trial.
    var unread = wasTrying ? Array(flying.prefix(1)) : flying
    var steps = 0
    while !isDone, steps < 200 {
      steps += 1
      if let deadline = detector.deadline, unread.isEmpty || detector.holdsWrites(at: now) {
        now = max(now, deadline)
        detector.tick(at: now)
      }
      let room = detector.isTrying ? (detector.maySend(at: now) ? 1 : 0) : 5
      for _ in 0..<max(0, room - (detector.isTrying ? 0 : flying.count)) where !waiting.isEmpty {
        let number = waiting.removeFirst()
        detector.sent(number, at: now)
        flying.append(number)
        unread.append(number)
      }
      if detector.isTrying, waiting.isEmpty, flying.isEmpty { detector.ranOut(at: now) }
      let chance = Int.random(in: 0..<4, using: &dice)
      if broker == .cut, chance == 0 { return end(.linkLost("cut")) }
      if broker == .contested, chance == 0 {
        // All but a message that was sent this very moment is acknowledged by then.
        while unread.count > 1 { acknowledge(unread.removeFirst(), &unread) }
        if detector.isTrying, let last = unread.popLast() { acknowledge(last, &unread) }
        return end(.closedByBroker)
      }
      guard let next = unread.first else {
        if detector.deadline == nil, !detector.maySend(at: now) { return faults.append("stands still") }
        continue
      }
      if poison.contains(next) { return end(.closedByBroker) }
      unread.removeFirst()
      acknowledge(next, &unread)
    }
    if !isDone { faults.append("hangs") }
  }

  private mutating func acknowledge(_ number: Int, _ unread: inout [Int]) {
    guard let place = flying.firstIndex(of: number) else { return }
    flying.remove(at: place)
    arrived.insert(number)
    let wasTrying = detector.isTrying
    if detector.isWatching { detector.acknowledged(number, left: flying.count, at: now) }
    // The library sends what it kept.
    if wasTrying, unread.isEmpty { unread = flying }
  }

  private mutating func end(_ cause: ConnectionError) {
    now += .milliseconds(1)
    if case .guilty(let number, _) = detector.linkEnded(cause, flying: flying, at: now) {
      failed.append(number)
      if !poison.contains(number) { faults.append("fails the innocent \(number)") }
      if !flying.contains(number) { faults.append("fails \(number), which does not fly") }
      flying.removeAll { $0 == number }
    }
    now += .milliseconds(1)
  }
}

struct PoisonWalkTests {
  @Test(
    "Whatever ends the links, only poison fails, all of it, and everything else arrives",
    arguments: PoisonWorld.Broker.allCases)
  fileprivate func worlds(_ broker: PoisonWorld.Broker) {
    for seed in UInt64(0)..<2_000 {
      var world = PoisonWorld(broker, seed: seed)
      let all = Set(world.waiting)
      for _ in 0..<400 where !world.isDone && world.faults.isEmpty { world.playLink() }
      #expect(world.faults.isEmpty, "seed \(seed)")
      guard broker != .closing else {
        #expect(world.failed.isEmpty && world.arrived.isEmpty)
        continue
      }
      #expect(world.isDone, "seed \(seed) after \(world.links) links")
      #expect(Set(world.failed) == world.poison.intersection(all), "seed \(seed)")
      #expect(world.arrived == all.subtracting(world.poison), "seed \(seed)")
    }
  }

  @Test("Whatever happens in whatever order, nothing is held back for ever while there is a link")
  func neverStands() {
    for seed in UInt64(0)..<5_000 {
      var dice = Dice(seed: seed)
      var detector = PoisonDetector()
      var now = ContinuousClock.now
      var isLinked = false
      for _ in 0..<60 {
        now += .milliseconds(Int.random(in: 0..<3_000, using: &dice))
        let number = Int.random(in: 1...3, using: &dice)
        switch Int.random(in: 0..<8, using: &dice) {
        case 0 where !isLinked, 1 where !isLinked:
          detector.linked(
            resumed: Bool.random(using: &dice) ? [number] : [], keepAlive: .seconds(60), at: now)
          isLinked = true
        case 2 where isLinked && detector.maySend(at: now): detector.sent(number, at: now)
        case 3 where isLinked: detector.acknowledged(number, left: number - 1, at: now)
        case 4 where !isLinked && number == 1: detector.attemptFailed()
        case 5 where isLinked, 6 where isLinked:
          let verdict = detector.linkEnded(.closedByBroker, flying: [number], at: now)
          if case .guilty = verdict { #expect(!detector.isTrying, "seed \(seed)") }
          isLinked = false
        default: detector.tick(at: now)
        }
        guard isLinked else { continue }
        #expect(detector.maySend(at: now) || detector.deadline != nil, "seed \(seed)")
        if let deadline = detector.deadline { #expect(deadline <= now + .seconds(16), "seed \(seed)") }
      }
    }
  }
}
