extension Packet {
  /// How something went, in one byte (MQTT 5, 2.4); a number may stand for it: `.disconnect(0x8B)`.
  public struct Reason: RawRepresentable, Sendable, Hashable, ExpressibleByIntegerLiteral,
    CustomStringConvertible
  {
    /// The byte.
    public var rawValue: UInt8

    /// Any byte; whether the specification knows it is not checked.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Any byte.
    public init(integerLiteral value: UInt8) { rawValue = value }

    /// Whether it stands for a failure in MQTT 5; MQTT 3.1.1 has others in CONNACK.
    public var isFailure: Bool { rawValue >= 0x80 }

    /// The byte in hexadecimal, such as "0x8B".
    public var description: String {
      let digits = String(rawValue, radix: 16, uppercase: true)
      return "0x" + (rawValue < 16 ? "0" : "") + digits
    }

    /// A subscription that is granted at this QoS.
    public static func granted(_ qos: UInt8) -> Reason { Reason(rawValue: qos) }

    /// 0x00: it went well.
    public static let success: Reason = 0x00
    /// 0x04: the client goes, and its will shall be published.
    public static let disconnectWithWill: Reason = 0x04
    /// 0x10: nobody has subscribed to the topic.
    public static let noMatchingSubscribers: Reason = 0x10
    /// 0x11: there was no such subscription.
    public static let noSubscriptionExisted: Reason = 0x11
    /// 0x18: the authentication goes on.
    public static let continueAuthentication: Reason = 0x18
    /// 0x80: no reason is given; the only refusal of a subscription in MQTT 3.1.1.
    public static let unspecifiedError: Reason = 0x80
    /// 0x81: the packet can't be read.
    public static let malformedPacket: Reason = 0x81
    /// 0x82: the packet may not come here.
    public static let protocolError: Reason = 0x82
    /// 0x83: the broker does not take it.
    public static let implementationSpecificError: Reason = 0x83
    /// 0x84: the broker does not speak this version.
    public static let unsupportedProtocolVersion: Reason = 0x84
    /// 0x85: the broker does not take this client id.
    public static let clientIDNotValid: Reason = 0x85
    /// 0x86: the user name or the password is wrong.
    public static let badUserNameOrPassword: Reason = 0x86
    /// 0x87: the client may not do this.
    public static let notAuthorized: Reason = 0x87
    /// 0x88: the broker does not serve now.
    public static let serverUnavailable: Reason = 0x88
    /// 0x89: the broker has too much to do.
    public static let serverBusy: Reason = 0x89
    /// 0x8A: the client is banned.
    public static let banned: Reason = 0x8A
    /// 0x8B: the broker ends.
    public static let serverShuttingDown: Reason = 0x8B
    /// 0x8D: the client was silent for too long.
    public static let keepAliveTimeout: Reason = 0x8D
    /// 0x8E: another client came with the same id.
    public static let sessionTakenOver: Reason = 0x8E
    /// 0x8F: the broker does not take this filter.
    public static let topicFilterInvalid: Reason = 0x8F
    /// 0x90: the broker does not take this topic.
    public static let topicNameInvalid: Reason = 0x90
    /// 0x92: no message of this number is under way.
    public static let packetIDNotFound: Reason = 0x92
    /// 0x93: more messages are under way than allowed.
    public static let receiveMaximumExceeded: Reason = 0x93
    /// 0x95: the packet is larger than allowed.
    public static let packetTooLarge: Reason = 0x95
    /// 0x97: a limit of the broker is reached.
    public static let quotaExceeded: Reason = 0x97
    /// 0x98: somebody decided so.
    public static let administrativeAction: Reason = 0x98
    /// 0x9A: the broker keeps no messages.
    public static let retainNotSupported: Reason = 0x9A
    /// 0x9B: the broker does not take this QoS.
    public static let qosNotSupported: Reason = 0x9B
    /// 0x9C: another broker serves for now.
    public static let useAnotherServer: Reason = 0x9C
    /// 0x9D: another broker serves from now on.
    public static let serverMoved: Reason = 0x9D
  }
}
