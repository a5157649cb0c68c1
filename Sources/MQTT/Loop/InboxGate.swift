/// Whether the loop reads, when handlers are slower than the broker.
///
/// A full inbox stops the reading, so that TCP pushes back, for at most half the keep-alive: the answer to a ping waits
/// behind what is unread. Then it reads on and sheds what has no room, until there is room again (`mqtt.md`, inbox).
struct InboxGate: Equatable {
  typealias Instant = ContinuousClock.Instant

  enum State: Equatable {
    case open
    /// `until` is nil when no keep-alive sets an end.
    case paused(until: Instant?)
    case shedding
  }

  private(set) var state = State.open

  var isPaused: Bool {
    if case .paused = state { true } else { false }
  }

  var deadline: Instant? {
    if case .paused(let until) = state { until } else { nil }
  }

  /// `patience` is how long reading may pause.
  mutating func update(hasRoom: Bool, patience: Duration?, at now: Instant) {
    switch state {
    case _ where hasRoom: state = .open
    case .open: state = .paused(until: patience.map { now + $0 })
    case .paused(let until?) where now >= until: state = .shedding
    case .paused, .shedding: break
    }
  }
}
