/// A control packet of MQTT 5 or 3.1.1, as a value.
///
/// One value serves both versions: what MQTT 3.1.1 has no place for (properties, the reasons of
/// acknowledgements) is left out when the packet is encoded for it.
///
/// ```swift
/// let bytes = try Packet.publish("lamp/power", "on", qos: 1, id: 7).encoded(for: .v5)
/// ```
public enum Packet: Sendable, Hashable {
  /// The first packet of a client (MQTT 5, 3.1).
  case connect(Connect)
  /// The broker's answer to CONNECT (3.2).
  case connack(Connack)
  /// A message, in both directions (3.3).
  case publish(Publish)
  /// The receipt of a QoS 1 message (3.4).
  case puback(Ack)
  /// The receipt of a QoS 2 message (3.5).
  case pubrec(Ack)
  /// The release of a QoS 2 message (3.6).
  case pubrel(Ack)
  /// The end of a QoS 2 message (3.7).
  case pubcomp(Ack)
  /// The wish for messages (3.8).
  case subscribe(Subscribe)
  /// The answer to SUBSCRIBE (3.9).
  case suback(Suback)
  /// The end of that wish (3.10).
  case unsubscribe(Unsubscribe)
  /// The answer to UNSUBSCRIBE (3.11).
  case unsuback(Unsuback)
  /// A client's sign of life (3.12).
  case pingreq
  /// The answer to PINGREQ (3.13).
  case pingresp
  /// The goodbye; from the broker only in MQTT 5 (3.14).
  case disconnect(Disconnect)
  /// A step of an extended authentication; only in MQTT 5 (3.15).
  case auth(Auth)

  /// The version of MQTT that a packet is written in.
  public enum Version: UInt8, Sendable, CustomStringConvertible {
    /// MQTT 3.1.1.
    case v311 = 4
    /// MQTT 5.
    case v5 = 5

    /// "MQTT 3.1.1" or "MQTT 5".
    public var description: String { self == .v5 ? "MQTT 5" : "MQTT 3.1.1" }
  }

  /// The type of a packet; the raw value is that of its first four bits (2.1.2).
  public enum Kind: UInt8, Sendable, CaseIterable, CustomStringConvertible {
    /// A type of packet, named as in the specification.
    case connect = 1
    /// A type of packet, named as in the specification.
    case connack, publish, puback, pubrec, pubrel, pubcomp, subscribe, suback, unsubscribe, unsuback
    /// A type of packet, named as in the specification.
    case pingreq, pingresp, disconnect, auth

    /// The name in capitals, such as "PUBACK".
    public var description: String { Self.names[Int(rawValue) - 1] }

    private static let names = [
      "CONNECT", "CONNACK", "PUBLISH", "PUBACK", "PUBREC", "PUBREL", "PUBCOMP", "SUBSCRIBE", "SUBACK",
      "UNSUBSCRIBE", "UNSUBACK", "PINGREQ", "PINGRESP", "DISCONNECT", "AUTH",
    ]
  }

  /// The type.
  public var kind: Kind {
    switch self {
    case .connect: .connect
    case .connack: .connack
    case .publish: .publish
    case .puback: .puback
    case .pubrec: .pubrec
    case .pubrel: .pubrel
    case .pubcomp: .pubcomp
    case .subscribe: .subscribe
    case .suback: .suback
    case .unsubscribe: .unsubscribe
    case .unsuback: .unsuback
    case .pingreq: .pingreq
    case .pingresp: .pingresp
    case .disconnect: .disconnect
    case .auth: .auth
    }
  }
}
