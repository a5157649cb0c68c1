/// The message that the broker publishes when this client goes without saying goodbye (MQTT 5, 3.1.2.5).
public struct Will: Sendable, Hashable {
  /// Where to.
  public var topic: Topic

  /// The content, at most 65,535 bytes.
  public var payload: [UInt8]

  /// The level of assurance.
  public var qos: QoS

  /// Whether the broker keeps it as the topic's retained message.
  public var retain: Bool

  /// What MQTT 5 can say beside the payload.
  public var properties: MessageProperties

  /// Makes a will.
  public init(
    _ topic: Topic, _ payload: [UInt8], qos: QoS = .atLeastOnce, retain: Bool = false,
    properties: MessageProperties = .init()
  ) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.retain = retain
    self.properties = properties
  }
}
