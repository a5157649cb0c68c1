/// When what comes too often goes out, as a pure value type: it is told the time and says what to do.
///
/// It needs at most one timer at a time, and none to be on time. A timer that fires late changes nothing for what
/// comes meanwhile: what was due by then goes out first. One that fires early is armed again.
struct RateLimiter<Element: Sendable>: Sendable {
  enum Rule: Hashable, Sendable {
    /// At most one each period: the first at once (`leading`), the last at the end of the period (`trailing`).
    case throttle(leading: Bool, trailing: Bool)
    /// The last, once nothing has come for a period.
    case debounce
    /// The last, at the end of each period since this time.
    case sample(since: Duration)
  }

  /// What to do now: first send, then arm the timer.
  struct Step {
    var send: Element?
    /// Say `fired` this much later.
    var timer: Duration?
  }

  let rule: Rule
  let period: Duration
  private var held: Element?
  /// When what is held goes out; under `throttle` also when the next may, if nothing is held.
  private var due: Duration?
  private var isArmed = false

  init(_ rule: Rule, _ period: Duration) {
    self.rule = rule
    self.period = period
  }

  mutating func receive(_ element: Element, at now: Duration) -> Step {
    var step = Step(send: takeDue(at: now))
    switch rule {
    case .throttle(let leading, let trailing):
      if let due, now < due {
        if trailing { held = element }
      } else {
        due = now + period
        if leading { step.send = element } else { held = element }
      }
    case .debounce:
      held = element
      due = now + period
    case .sample(let start):
      if held == nil { due = nextTick(after: now, since: start) }
      held = element
    }
    step.timer = arm(at: now)
    return step
  }

  /// The timer has fired.
  mutating func fired(at now: Duration) -> Step {
    isArmed = false
    var step = Step(send: takeDue(at: now))
    step.timer = arm(at: now)
    return step
  }

  /// The end: what is held goes out before it, or nowhere.
  mutating func takeHeld() -> Element? { held.take() }

  private mutating func takeDue(at now: Duration) -> Element? {
    guard held != nil, let due, now >= due else { return nil }
    // What was sent at the end of a period counts in the next one.
    if case .throttle = rule { self.due = now + period }
    return held.take()
  }

  private mutating func arm(at now: Duration) -> Duration? {
    guard held != nil, !isArmed, let due else { return nil }
    isArmed = true
    return due - now
  }

  private func nextTick(after now: Duration, since start: Duration) -> Duration {
    start + (now - start).roundedDown(to: period) + period
  }
}
