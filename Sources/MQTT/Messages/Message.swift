/// A message as it came from the broker.
public struct Message: Sendable, Hashable {
  /// The topic. Any string the broker sent: `+` and `#` in it are plain characters.
  public let topic: String

  /// The content, copied once out of the library's buffer.
  public let payload: [UInt8]

  /// The level of assurance of this copy.
  public let qos: QoS

  /// The retain flag as received: set when the broker had the message in store, and, with
  /// ``Subscribe/retainAsPublished``, also on live messages that were published with it.
  public let isRetained: Bool

  /// The identifiers of the subscriptions that this copy is for (MQTT 5, 3.3.2.3.8).
  public let subscriptionIdentifiers: SubscriptionIdentifiers

  /// Makes a message, as a broker would send it.
  public init(
    topic: String, payload: [UInt8], qos: QoS = .atMostOnce, isRetained: Bool = false,
    subscriptionIdentifiers: SubscriptionIdentifiers = []
  ) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.isRetained = isRetained
    self.subscriptionIdentifiers = subscriptionIdentifiers
  }
}
