public import MQTT

/// Why a signal of a bus failed, or a call on it.
public enum BusError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The bus was closed.
  case closed
  /// The broker refused the subscription to this filter.
  case subscriptionRefused(TopicFilter, ReasonCode)
  /// The broker does not refuse the subscription to this filter, but ends the connection at it, again and again.
  case subscriptionEndsLink(TopicFilter)
  /// A shared filter and another one overlap, and the broker can't say for which of them a message is.
  case overlapsShared(TopicFilter, TopicFilter)
  /// The broker speaks only MQTT 3.1.1, which has no such thing.
  case needsMQTT5(String)
  /// The broker will not have this connection: the next subscriber tries to connect again.
  case refused(ConnectionError)
  /// The job on this topic has ended.
  case jobEnded(Topic)

  /// One line that names the fault and the mend.
  public var description: String {
    switch self {
    case .closed: "the bus is closed: make a new one"
    case .subscriptionRefused(let filter, let code):
      "the broker refused the subscription to \"\(filter)\": \(code); check the access rules of this user"
    case .subscriptionEndsLink(let filter):
      "the broker ends the connection at the subscription to \"\(filter)\"; check the access rules of this user"
    case .overlapsShared(let filter, let other):
      "\"\(filter)\" overlaps \"\(other)\", and in MQTT 3.1.1 nobody can tell their messages apart: use a second bus, or MQTT 5"
    case .needsMQTT5(let what): "\(what) needs MQTT 5, and the broker speaks 3.1.1"
    case .refused(let error): "\(error)"
    case .jobEnded(let topic): "the job on \"\(topic)\" has ended: begin a new run"
    }
  }
}
