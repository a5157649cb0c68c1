/// Whether the loop reads, when handlers are slower than the broker.
///
/// A full inbox stops the reading, so that TCP pushes back. But the answer to a ping waits behind what is unread, and
/// libmosquitto gives a link up that has pinged in vain for a keep-alive in which nothing was read, or nothing written.
/// So the loop may lag behind the broker for half of that; then it hurries: it reads at the speed of the network,
/// handlers or not, and sheds what has no room, until it has seen all that came (`mqtt.md`, inbox).
struct InboxGate: Equatable {
  typealias Instant = ContinuousClock.Instant

  enum State: Equatable {
    case open
    /// `until` is nil when no keep-alive sets an end.
    case paused(until: Instant?)
    case hurried
  }

  private(set) var state = State.open
  /// Since when there has always been something unread.
  private var laggingSince: Instant?

  var isPaused: Bool {
    if case .paused = state { true } else { false }
  }

  var isHurried: Bool { state == .hurried }

  var deadline: Instant? {
    if case .paused(let until) = state { until } else { nil }
  }

  /// `lastExchange` is when the link was last known to be alive in both directions; `patience` is for how long the
  /// loop may lag after that.
  mutating func update(hasRoom: Bool, lastExchange: Instant, patience: Duration?, at now: Instant) {
    if !hasRoom, laggingSince == nil { laggingSince = now }
    guard let laggingSince else { return state = .open }
    // A ping is a sign of life of this side only: it must not end the hurry for its own answer.
    if isHurried { return }
    let until = patience.map { max(laggingSince, lastExchange) + $0 }
    if let until, now >= until {
      state = .hurried
    } else {
      state = hasRoom ? .open : .paused(until: until)
    }
  }

  /// The loop has looked at the socket, and read all that was there, or not.
  mutating func looked(sawAll: Bool, at now: Instant) {
    if sawAll { laggingSince = nil } else if laggingSince == nil { laggingSince = now }
  }
}
