public import MQTT

/// Why a signal of a bus failed, or a call on it.
public enum BusError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The bus was closed.
  case closed
  /// The broker refused the subscription to this filter.
  case subscriptionRefused(TopicFilter, ReasonCode)
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
    case .refused(let error): "\(error)"
    case .jobEnded(let topic): "the job on \"\(topic)\" has ended: begin a new run"
    }
  }
}
