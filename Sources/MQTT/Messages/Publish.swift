/// A message to send, and how to treat it on the way out.
public struct Publish: Sendable, Hashable {
  /// Where to.
  public var topic: Topic

  /// The content: with topic and properties at most 268,435,455 bytes.
  public var payload: [UInt8]

  /// The level of assurance.
  public var qos: QoS

  /// Whether the broker keeps it as the topic's retained message; an empty payload clears that.
  public var retain: Bool

  /// Whether it replaces a waiting, equally conflating message of its topic. It then waits at the end.
  public var conflates: Bool

  /// Whether it waits for a connection when there is none. QoS 1 and 2 always wait.
  public var queuesOffline: Bool

  /// What MQTT 5 can say beside the payload.
  public var properties: MessageProperties

  /// Makes a message to send.
  public init(
    _ topic: Topic, _ payload: [UInt8], qos: QoS = .atLeastOnce, retain: Bool = false,
    conflates: Bool = false, queuesOffline: Bool = false, properties: MessageProperties = .init()
  ) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.retain = retain
    self.conflates = conflates
    self.queuesOffline = queuesOffline
    self.properties = properties
  }

  /// Makes a message with text as its payload.
  public init(
    _ topic: Topic, _ text: String, qos: QoS = .atLeastOnce, retain: Bool = false,
    conflates: Bool = false, queuesOffline: Bool = false, properties: MessageProperties = .init()
  ) {
    self.init(
      topic, Array(text.utf8), qos: qos, retain: retain, conflates: conflates,
      queuesOffline: queuesOffline, properties: properties)
  }
}

extension Publish {
  var waitsOffline: Bool { queuesOffline || qos > .atMostOnce }

  /// The bytes it is counted with against the bounds of the outbox.
  var weight: Int {
    payload.count + topic.name.utf8.count + properties.encodedSize
  }

  /// The exact size of the packet. libmosquitto's own check against the broker's limit is off by one, and a
  /// packet too large makes the broker drop the connection.
  func packetSize(_ version: ProtocolVersion) -> Int {
    PacketSize.whole(remaining: remainingSize(version))
  }

  /// Why it can't be sent as it is, whatever the broker.
  var problem: String? {
    if remainingSize(.v5) > PacketSize.maximumRemaining {
      return "it is larger than the 268,435,455 bytes of MQTT: send it in parts"
    }
    return properties.problem(payload: payload)
  }

  private func remainingSize(_ version: ProtocolVersion) -> Int {
    let size = 2 + topic.name.utf8.count + payload.count + (qos > .atMostOnce ? 2 : 0)
    guard version == .v5 else { return size }
    let properties = properties.encodedSize
    return size + properties + PacketSize.variable(properties)
  }
}
