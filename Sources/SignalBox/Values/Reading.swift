public import MQTT

/// A value and where it came from: see ``Bus/readings(_:as:qos:late:progress:onBadPayload:)``.
public struct Reading<Value: Sendable>: Sendable, Topical {
  /// What the payload said.
  public let value: Value
  /// The topic it came on.
  public let topic: String
  /// Whether the broker had it in store or it is new.
  public let origin: MessageOrigin
  /// The retain flag as received.
  public let isRetained: Bool
  /// The filter that was asked for.
  public let filter: TopicFilter

  /// Makes a reading, as a bus would send it.
  public init(
    _ value: Value, topic: String, filter: TopicFilter, origin: MessageOrigin = .unknown,
    isRetained: Bool = false
  ) {
    self.value = value
    self.topic = topic
    self.filter = filter
    self.origin = origin
    self.isRetained = isRetained
  }

  init(_ value: Value, _ message: Message, _ filter: TopicFilter) {
    self.init(
      value, topic: message.topic, filter: filter, origin: message.origin, isRetained: message.isRetained)
  }

  /// What the wildcards of the filter stood for, in order; looked up when it is asked for.
  ///
  /// `#` gives the rest with its slashes. Empty where the filter has no wildcard.
  public var captures: [String] { filter.captures(topic) ?? [] }
}

extension Reading: Equatable where Value: Equatable {}
extension Reading: Hashable where Value: Hashable {}

extension Reading: CustomStringConvertible {
  /// The topic and the value.
  public var description: String { "\(topic) \(value)" }
}
