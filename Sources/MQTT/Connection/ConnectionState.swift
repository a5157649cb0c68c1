/// Where a connection stands.
public enum ConnectionState: Sendable, Hashable, CustomStringConvertible {
  /// ``Connection/connect(delegate:)`` was not called yet.
  case idle
  /// Attempt number `attempt` is under way, at this host. Each host that is tried is an attempt, with all of its
  /// addresses; they are counted from 1 since the last success.
  case connecting(Endpoint, attempt: Int)
  /// The broker accepted the connection.
  case connected(Session)
  /// The next attempt begins after `delay`; `cause` is why the last one failed or the link broke.
  case waiting(Duration, cause: ConnectionError)
  /// For good: closed by this side (no cause), or refused in a way that trying again can't mend.
  case closed(ConnectionError?)

  /// One line.
  public var description: String {
    switch self {
    case .idle: "idle"
    case .connecting(let endpoint, let attempt): "connecting to \(endpoint), attempt \(attempt)"
    case .connected(let session):
      "connected, MQTT \(session.version)\(session.fallback.map { " (\($0))" } ?? "")"
        + (session.ignoredCleanStart ? "; the broker claims a session in spite of a clean start" : "")
    case .waiting(let delay, let cause): "waiting \(delay.inTenths) s: \(cause)"
    case .closed(let cause): cause.map { "closed: \($0)" } ?? "closed"
    }
  }
}

extension Session.Fallback: CustomStringConvertible {
  /// In words, such as "the broker refused MQTT 5".
  public var description: String {
    switch self {
    case .refused: "the broker refused MQTT 5"
    case .unanswered: "the broker did not answer in MQTT 5"
    }
  }
}

extension Duration {
  /// Seconds, to the tenth.
  fileprivate var inTenths: Double { (self / .milliseconds(100)).rounded() / 10 }
}
