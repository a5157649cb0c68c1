/// Tells whether links end because another client takes the client id over again and again.
///
/// MQTT 5 has a reason for it (0x8E, session taken over). MQTT 3.1.1 has none, and mosquitto 2.0 gives none in MQTT 5
/// either: there the broker just closes the link. So links that it closed without a reason soon after it had accepted
/// them count, and the third in a row is taken for it.
///
/// "Soon" follows from how two clients fight that both back off: each link lives as long as the other one waits. Of
/// the first three waits none is longer than four times the first bound, and a link that held for ten times that
/// bound is a healthy one. As the bounds grow, so do the lives; since the two are kicked in turn, the bound of the
/// other is at most twice the own next one. Once a fight is known, only a link that outlived that has ended it.
struct FlapDetector {
  /// How many in a row it takes: a broker that is stopped and started again closes one or two.
  static let limit = 3

  /// What a link has to hold for to be a healthy one, as long as no fight is known.
  let patience: Duration
  private var count = 0

  init(patience: Duration) {
    self.patience = patience
  }

  /// Whether the id is taken over again and again, as far as can be seen.
  var isFlapping: Bool { count >= Self.limit }

  /// A link has ended after `life`; the wait that follows is `bound` at the longest. Returns whether it was healthy.
  mutating func linkEnded(after life: Duration, _ cause: ConnectionError, bound: Duration) -> Bool {
    let isHealthy = life >= (isFlapping ? max(patience, bound * 2) : patience)
    if cause == .disconnected(ReasonCode(rawValue: 0x8E)) {
      count = Self.limit
    } else if isHealthy || !ConnectionError.endsByBroker.contains(cause) {
      count = 0
    } else {
      count = min(count + 1, Self.limit)
    }
    return isHealthy
  }

  /// The broker of the last link could not be connected to: then it is the broker that comes and goes.
  mutating func connectFailed() {
    count = 0
  }
}
