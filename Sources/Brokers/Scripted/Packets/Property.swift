extension Packet {
  /// A property of a packet of MQTT 5 (2.2.2.2), with the type that the specification gives it.
  public enum Property: Sendable, Hashable {
    /// Whether the payload is UTF-8 text (0x01).
    case payloadIsText(Bool)
    /// How long the message is worth sending, in seconds (0x02).
    case messageExpiry(UInt32)
    /// What the payload is (0x03).
    case contentType(String)
    /// Where an answer is expected (0x08).
    case responseTopic(String)
    /// What an answer shall repeat (0x09).
    case correlationData([UInt8])
    /// The number of a subscription, 1 to 268,435,455 (0x0B).
    case subscriptionIdentifier(UInt32)
    /// How long the session outlives the link, in seconds (0x11).
    case sessionExpiry(UInt32)
    /// The name that the broker gave to a client without one (0x12).
    case assignedClientID(String)
    /// The keep-alive that the broker asks for, in seconds (0x13).
    case serverKeepAlive(UInt16)
    /// How the client authenticates (0x15).
    case authenticationMethod(String)
    /// What it says to that; no description shows it (0x16).
    case authenticationData([UInt8])
    /// Whether the client wants to know reasons (0x17).
    case requestProblemInformation(Bool)
    /// How long after the link's end the will is published, in seconds (0x18).
    case willDelay(UInt32)
    /// Whether the client wants response information (0x19).
    case requestResponseInformation(Bool)
    /// What response topics may be made of (0x1A).
    case responseInformation(String)
    /// Another broker (0x1C).
    case serverReference(String)
    /// The reason in words (0x1F).
    case reasonString(String)
    /// How many QoS 1 and 2 messages the sender takes at once, from 1 (0x21).
    case receiveMaximum(UInt16)
    /// The highest topic alias that the sender knows; 0 is none (0x22).
    case topicAliasMaximum(UInt16)
    /// A number in place of a topic, from 1 (0x23).
    case topicAlias(UInt16)
    /// The highest QoS that the broker takes, 0 or 1 (0x24).
    case maximumQoS(UInt8)
    /// Whether the broker keeps messages (0x25).
    case retainAvailable(Bool)
    /// A name and a value of the application (0x26).
    case userProperty(String, String)
    /// The largest packet that the sender takes, in bytes, from 1 (0x27).
    case maximumPacketSize(UInt32)
    /// Whether the broker takes filters with wildcards (0x28).
    case wildcardSubscriptionAvailable(Bool)
    /// Whether the broker takes subscription identifiers (0x29).
    case subscriptionIdentifiersAvailable(Bool)
    /// Whether the broker takes shared subscriptions (0x2A).
    case sharedSubscriptionAvailable(Bool)
  }
}

extension Packet.Property: CustomStringConvertible, CustomReflectable {
  /// The name and the value, such as "receive maximum 20".
  public var description: String {
    let value =
      switch self {
      case .payloadIsText(let value), .requestProblemInformation(let value),
        .requestResponseInformation(let value), .retainAvailable(let value),
        .wildcardSubscriptionAvailable(let value), .subscriptionIdentifiersAvailable(let value),
        .sharedSubscriptionAvailable(let value):
        value ? "1" : "0"
      case .messageExpiry(let value), .subscriptionIdentifier(let value), .sessionExpiry(let value),
        .willDelay(let value), .maximumPacketSize(let value):
        "\(value)"
      case .serverKeepAlive(let value), .receiveMaximum(let value), .topicAliasMaximum(let value),
        .topicAlias(let value):
        "\(value)"
      case .maximumQoS(let value): "\(value)"
      case .contentType(let value), .responseTopic(let value), .assignedClientID(let value),
        .authenticationMethod(let value), .responseInformation(let value), .serverReference(let value),
        .reasonString(let value):
        value.quoted
      case .correlationData(let value): value.counted
      case .authenticationData: "hidden"
      case .userProperty(let name, let value): "\(name.quoted) \(value.quoted)"
      }
    return "\(identifier) \(value)"
  }

  /// The property without the data of an authentication.
  public var customMirror: Mirror {
    Mirror(self, children: ["description": description], displayStyle: .struct)
  }
}
