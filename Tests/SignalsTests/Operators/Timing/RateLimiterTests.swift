import Testing

@testable import Signals

/// What should go out when, worked out anew from the whole history: no state but the list of what came.
private struct Reference {
  let rule: RateLimiter<Int>.Rule
  let period: Int

  /// What has gone out by `now`, of elements that came at these times, when each goes out as soon as it may. At the
  /// late times no timer fires.
  func sent(_ arrivals: [Int], late: Set<Int>, by now: Int) -> [Int] {
    switch rule {
    case .debounce:
      return arrivals.indices.filter { index in
        let next = arrivals.dropFirst(index + 1).first ?? .max
        return next >= arrivals[index] + period && arrivals[index] + period <= now
      }
    case .sample:
      return arrivals.indices.filter { index in
        let tick = (arrivals[index] / period + 1) * period
        return tick <= now && !(arrivals.dropFirst(index + 1).contains { $0 < tick })
      }
    case .throttle(let leading, let trailing):
      var sent: [Int] = []
      var held: Int?
      var end = Int.min
      for time in (arrivals.first ?? 0)...max(now, arrivals.first ?? 0) {
        let isNoticed = !late.contains(time) || arrivals.contains(time)
        if time >= end, isNoticed, let index = held.take() {
          sent.append(index)
          end = time + period
        }
        for index in arrivals.indices where arrivals[index] == time {
          if time < end {
            if trailing { held = index }
          } else {
            end = time + period
            if leading { sent.append(index) } else { held = index }
          }
        }
      }
      return sent
    }
  }
}

private struct World {
  enum Step: CaseIterable { case arrives, passes, timerIsLate, ends }

  let reference: Reference
  var limiter: RateLimiter<Int>
  var now = 0
  var arrivals: [Int] = []
  var sent: [Int] = []
  var armed: Int?
  var late: Set<Int> = []
  var hasEnded = false
  var trace: [Step] = []

  init(_ rule: RateLimiter<Int>.Rule) {
    reference = Reference(rule: rule, period: 3)
    limiter = RateLimiter(rule, .seconds(3))
  }

  mutating func perform(_ step: Step) {
    trace.append(step)
    switch step {
    case .arrives:
      arrivals.append(now)
      take(limiter.receive(arrivals.count - 1, at: .seconds(now)))
      check()
    case .passes:
      now += 1
      fireDue()
      check()
    case .timerIsLate:
      // Nobody fires it in this second: only what comes may notice.
      now += 1
      late.insert(now)
    case .ends:
      hasEnded = true
      let held = limiter.takeHeld()
      #expect(limiter.takeHeld() == nil)
      // What had not gone out is the newest, or nothing.
      if let held { #expect(held == arrivals.count - 1 && !sent.contains(held), "\(trace)") }
    }
    #expect(sent == sent.sorted() && Set(sent).count == sent.count, "order, once each: \(trace)")
  }

  private mutating func fireDue() {
    while let due = armed, due <= now {
      armed = nil
      take(limiter.fired(at: .seconds(now)))
    }
  }

  private mutating func take(_ step: RateLimiter<Int>.Step) {
    if let element = step.send { sent.append(element) }
    guard let timer = step.timer else { return }
    #expect(armed == nil, "two timers at once: \(trace)")
    #expect(timer > .zero, "a timer for what is due already: \(trace)")
    armed = now + Int(timer.components.seconds)
  }

  private func check() {
    #expect(sent == reference.sent(arrivals, late: late, by: now), "\(trace)")
  }

  /// Lets the time pass: the last to come goes out in the end, unless the rule drops it.
  func checkRest() {
    var rest = self
    for _ in 0..<8 { rest.perform(.passes) }
    if case .throttle(_, trailing: false) = reference.rule { return }
    #expect(rest.sent.last == (arrivals.isEmpty ? nil : arrivals.count - 1), "\(trace)")
    #expect(rest.armed == nil, "a timer for nothing: \(trace)")
  }
}

@Suite(.timeLimit(.minutes(2))) struct RateLimiterTests {
  @Test(arguments: [
    RateLimiter<Int>.Rule.debounce, .sample(since: .zero), .throttle(leading: true, trailing: true),
    .throttle(leading: true, trailing: false), .throttle(leading: false, trailing: true),
  ])
  func `every short history gives what a slow and simple reference gives`(rule: RateLimiter<Int>.Rule) {
    var explored = 0
    func explore(_ world: World, _ depth: Int) {
      explored += 1
      if !world.hasEnded { world.checkRest() }
      guard depth > 0, !world.hasEnded else { return }
      for step in World.Step.allCases {
        var next = world
        next.perform(step)
        explore(next, depth - 1)
      }
    }
    explore(World(rule), 8)
    #expect(explored > 10_000)
  }
}
