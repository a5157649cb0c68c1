public import MQTT

/// Why a request has no answer.
public enum RequestError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The connection speaks MQTT 3.1.1, which can't say where an answer shall go: it was asked for that, or the broker
  /// knows nothing newer.
  case needsMQTT5
  /// The broker says that nobody is subscribed to the topic of the question, which it has dropped.
  case nobodyResponds(Topic)
  /// No answer came in time.
  case timedOut(Topic, after: Duration)
  /// No answer came in time, and at the end of it there was no connection; why, if that is known.
  case notConnected(Topic, after: Duration, cause: ConnectionError?)

  /// One line that names the fault and the mend.
  public var description: String {
    switch self {
    case .needsMQTT5:
      "requests need MQTT 5, and this connection speaks MQTT 3.1.1: ask for version .v5, of a broker that has it"
    case .nobodyResponds(let topic):
      "nobody responds on \"\(topic)\": start what does, and wait until it has subscribed"
    case .timedOut(let topic, let limit):
      "no answer to the request on \"\(topic)\" came within \(limit.brief): check what responds there, and that this user may "
        + "read \(Requests.topicPrefix)#"
    case .notConnected(let topic, let limit, let cause):
      "no answer to the request on \"\(topic)\" came within \(limit), as there is no connection: "
        + (cause.map { "\($0)" } ?? "the broker has not answered yet; check that it runs")
    }
  }
}
