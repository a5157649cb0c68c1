/// Finds the message that makes the broker end the link.
///
/// A message of QoS 1 or 2 without an acknowledgement is sent again on the next link. If the broker ends that for its
/// sake, too, this goes on for ever, and nothing behind it leaves.
///
/// Links in a row that the broker ended with the same message as the oldest in flight, and nothing acknowledged on any
/// of them, raise a suspicion: the third one does. A broker that is stopped and started again closes one or two, and
/// can't be reached in between, which ends the row. One is enough if the broker gives a reason that is about a message.
///
/// But the guilty one may be another that flies, a subscribe, or none: another client with the same id, or a proxy, ends
/// links the same way. So there is a trial. On the next links nothing is sent until each has outlived the last one; if
/// the broker ends it before, no message is to blame. Then the suspects are sent one by one, with nothing else in
/// between. The one that is alone in flight when the broker ends the link is guilty if that happens twice in a row, or
/// once with a reason that is about a message. Only its own receipt, or a while without the end of the link, shows
/// that a message is innocent.
struct PoisonDetector {
  typealias Instant = ContinuousClock.Instant

  enum Verdict: Equatable {
    case innocent
    /// The broker has ended so many links in a row, with this message the oldest in flight.
    case suspected(Int, links: Int)
    /// The reason is the broker's, if it gave one.
    case guilty(Int, ReasonCode?)
  }

  private enum Stage {
    case noLink
    /// Nothing is written yet; the library already has the message that is next, if one is `held`.
    case quiet(until: Instant, held: Int?)
    /// The next one may be sent.
    case ready
    /// One is alone in flight.
    case alone(Int, until: Instant)
    /// Several fly that the library sends again by itself.
    case crowded(until: Instant)
  }

  private struct Trial {
    var suspects: Set<Int>
    var quiet: Duration
    var stage = Stage.noLink
    /// Which one was alone in flight when the last link ended, and how often in a row.
    var broken: Int?
    var breaks = 0
  }

  /// How many links in a row raise a suspicion.
  static let limit = 3
  /// How many in a row convict.
  static let confirmations = 2
  /// How long a link has to stay up with a suspect in flight for that to be innocent.
  static let patience = Duration.seconds(10)

  private var oldest: Int?
  private var count = 0
  private var trial: Trial?
  private var linkedAt: Instant?

  /// Whether messages are sent one by one, and nothing else is.
  var isTrying: Bool { trial != nil }

  /// Whether it has to hear of acknowledgements.
  var isWatching: Bool { count > 0 || trial != nil }

  /// When ``tick(at:)`` is due, or something may be sent that might not be before.
  var deadline: Instant? {
    switch trial?.stage {
    case .quiet(let until, _), .alone(_, let until), .crowded(let until): until
    case .noLink, .ready, nil: nil
    }
  }

  /// Whether a message may be handed over; one, during a trial.
  func maySend(at now: Instant) -> Bool {
    switch trial?.stage {
    case nil, .ready: true
    case .quiet(let until, nil): now >= until
    case .noLink, .quiet, .alone, .crowded: false
    }
  }

  /// Whether the library may not write yet.
  func holdsWrites(at now: Instant) -> Bool {
    if case .quiet(let until, .some) = trial?.stage { now < until } else { false }
  }

  // MARK: What happens on a link

  /// A broker has accepted the connection. The library sends `resumed` again by itself, the first of them alone.
  mutating func linked(resumed: [Int], keepAlive: Duration, at now: Instant) {
    linkedAt = now
    guard let trial else { return }
    // A ping is held as well, and may not come too late.
    let quiet = keepAlive > .zero ? min(trial.quiet, keepAlive / 4) : trial.quiet
    self.trial?.stage = .quiet(until: now + quiet, held: resumed.first)
  }

  /// A message was handed over. What is no suspect comes behind all of them, so the trial is over.
  mutating func sent(_ number: Int, at now: Instant) {
    guard let trial else { return }
    if trial.suspects.contains(number) {
      self.trial?.stage = .alone(number, until: now + Self.patience)
    } else {
      acquit()
    }
  }

  /// Nothing waits and nothing flies: what was suspected has expired, or a newer one took its place.
  mutating func ranOut(at now: Instant) {
    if isTrying, maySend(at: now) { acquit() }
  }

  /// The broker has a message; `left` still fly.
  mutating func acknowledged(_ number: Int, left: Int, at now: Instant) {
    (oldest, count) = (nil, 0)
    guard var trial else { return }
    trial.suspects.remove(number)
    (trial.broken, trial.breaks) = (nil, 0)
    trial.stage = left > 0 ? .crowded(until: now + Self.patience) : .ready
    self.trial = trial.suspects.isEmpty ? nil : trial
  }

  mutating func tick(at now: Instant) {
    switch trial?.stage {
    case .quiet(let until, let held) where now >= until:
      trial?.stage = held.map { .alone($0, until: until + Self.patience) } ?? .ready
    case .alone(_, let until) where now >= until, .crowded(let until) where now >= until:
      acquit()
    default: break
    }
  }

  /// A broker could not be connected to: then it is the broker that comes and goes.
  mutating func attemptFailed() { acquit() }

  /// A link has ended with these in flight, the oldest first.
  mutating func linkEnded(_ cause: ConnectionError, flying: [Int], at now: Instant) -> Verdict {
    tick(at: now)
    let life = linkedAt.map { now - $0 } ?? .zero
    linkedAt = nil
    guard let end = BrokerEnd(cause), let first = flying.first else {
      acquit()
      return .innocent
    }
    if let trial { return endTrial(trial, end, first) }
    count = first == oldest ? count + 1 : 1
    oldest = first
    guard count >= Self.limit || end.isAboutMessage else { return .innocent }
    trial = Trial(suspects: Set(flying), quiet: min(max(life * 2, .seconds(1)), .seconds(5)))
    return .suspected(first, links: count)
  }

  private mutating func endTrial(_ trial: Trial, _ end: BrokerEnd, _ first: Int) -> Verdict {
    var trial = trial
    switch trial.stage {
    case .alone(let number, _):
      count += 1
      trial.breaks = trial.broken == number ? trial.breaks + 1 : 1
      trial.broken = number
      if end.isAboutMessage || trial.breaks >= Self.confirmations {
        acquit()
        return .guilty(number, end.reason)
      }
    case .crowded:
      count += 1
      (trial.broken, trial.breaks) = (nil, 0)
    case .noLink, .quiet, .ready:
      acquit()
      return .innocent
    }
    trial.stage = .noLink
    self.trial = trial
    return .suspected(first, links: count)
  }

  private mutating func acquit() {
    (oldest, count, trial) = (nil, 0, nil)
  }
}

/// A link that the broker ended while it could be a message that made it.
private struct BrokerEnd {
  let reason: ReasonCode?

  /// Nil for an end of another kind.
  init?(_ cause: ConnectionError) {
    switch cause {
    case .disconnected(let code) where !Self.otherwise.contains(code.rawValue): reason = code
    case .linkLost where ConnectionError.endsByBroker.contains(cause): reason = nil
    default: return nil
    }
  }

  /// Whether the reason is about a PUBLISH and what is in it (MQTT 5, 3.14.2.1): its topic name, size, payload format,
  /// retain flag or QoS. "Not authorized" is not: a login may have ended, or a subscribe be meant.
  var isAboutMessage: Bool {
    reason.map { [0x90, 0x95, 0x99, 0x9A, 0x9B].contains($0.rawValue) } ?? false
  }

  /// About the broker, the client or its subscriptions: normal, unavailable, busy, shutting down, keep-alive, taken over,
  /// rate, quota, administrative action, other servers, subscriptions, connection rate and time.
  private static let otherwise: Set<UInt8> = [
    0x00, 0x88, 0x89, 0x8B, 0x8D, 0x8E, 0x8F, 0x96, 0x97, 0x98, 0x9C, 0x9D, 0x9E, 0x9F, 0xA0, 0xA1, 0xA2,
  ]
}
