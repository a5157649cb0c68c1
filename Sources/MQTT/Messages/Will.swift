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

  /// How long the broker waits for this client to come back before it publishes the will; whole seconds, rounded
  /// up (MQTT 5, 3.1.3.2.2).
  ///
  /// The end of the session ends the wait, so it is no longer than ``ConnectionOptions/sessionExpiry``. In MQTT
  /// 3.1.1 there is no wait.
  public var delay: Duration

  /// What MQTT 5 can say beside the payload. An expiry counts from when the will is published.
  public var properties: MessageProperties

  /// Makes a will.
  public init(
    _ topic: Topic, _ payload: [UInt8], qos: QoS = .atLeastOnce, retain: Bool = false,
    delay: Duration = .zero, properties: MessageProperties = .init()
  ) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.retain = retain
    self.delay = delay
    self.properties = properties
  }
}

extension Will {
  /// More than any will needs, and what leaves room in a CONNECT for all of its other parts.
  private static var maximumProperties: Int { PacketSize.maximumRemaining - 8 * TopicText.maximumBytes }

  /// Why it can't be sent as it is. libmosquitto takes a longer payload and sends a CONNECT that can't be read.
  var problem: String? {
    if payload.count > TopicText.maximumBytes {
      return "it has \(payload.count) bytes of payload: 65,535 are allowed"
    }
    if delay < .zero { return "its delay of \(delay) is negative" }
    if properties.encodedSize > Self.maximumProperties { return "its properties are larger than a packet" }
    return properties.problem(payload: payload)
  }
}
