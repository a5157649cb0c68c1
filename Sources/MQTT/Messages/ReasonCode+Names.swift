/// The reason codes of MQTT 5 by name (2.4).
extension ReasonCode {
  /// All went well.
  public static let success = ReasonCode(rawValue: 0x00)
  /// Subscribed at QoS 1.
  public static let grantedQoS1 = ReasonCode(rawValue: 0x01)
  /// Subscribed at QoS 2.
  public static let grantedQoS2 = ReasonCode(rawValue: 0x02)
  /// A goodbye after which the will is published all the same.
  public static let disconnectWithWill = ReasonCode(rawValue: 0x04)
  /// Accepted, and nobody is subscribed.
  public static let noMatchingSubscribers = ReasonCode(rawValue: 0x10)
  /// There was nothing to unsubscribe from.
  public static let noSubscriptionExisted = ReasonCode(rawValue: 0x11)
  /// The next step of an extended login.
  public static let continueAuthentication = ReasonCode(rawValue: 0x18)
  /// A login anew inside a connection.
  public static let reauthenticate = ReasonCode(rawValue: 0x19)
  /// A failure without a reason.
  public static let unspecified = ReasonCode(rawValue: 0x80)
  /// A packet could not be read.
  public static let malformedPacket = ReasonCode(rawValue: 0x81)
  /// A packet that had no place there.
  public static let protocolError = ReasonCode(rawValue: 0x82)
  /// Valid, and not taken by this broker.
  public static let implementationSpecific = ReasonCode(rawValue: 0x83)
  /// The broker doesn't speak this version of MQTT.
  public static let unsupportedProtocolVersion = ReasonCode(rawValue: 0x84)
  /// The broker doesn't take the client id.
  public static let clientIdentifierNotValid = ReasonCode(rawValue: 0x85)
  /// Wrong user or password.
  public static let badUserNameOrPassword = ReasonCode(rawValue: 0x86)
  /// The broker's access rules say no.
  public static let notAuthorized = ReasonCode(rawValue: 0x87)
  /// The broker can't serve now.
  public static let serverUnavailable = ReasonCode(rawValue: 0x88)
  /// The broker has too much to do: try again later.
  public static let serverBusy = ReasonCode(rawValue: 0x89)
  /// An administrator locked this client out.
  public static let banned = ReasonCode(rawValue: 0x8A)
  /// The broker is about to end.
  public static let serverShuttingDown = ReasonCode(rawValue: 0x8B)
  /// The broker doesn't know this way to log in.
  public static let badAuthenticationMethod = ReasonCode(rawValue: 0x8C)
  /// Nothing came for one and a half times the keep-alive.
  public static let keepAliveTimeout = ReasonCode(rawValue: 0x8D)
  /// Another client connected with the same client id.
  public static let sessionTakenOver = ReasonCode(rawValue: 0x8E)
  /// The filter is well formed and not taken by this broker.
  public static let topicFilterInvalid = ReasonCode(rawValue: 0x8F)
  /// The topic is well formed and not taken by this broker.
  public static let topicNameInvalid = ReasonCode(rawValue: 0x90)
  /// The message id already stands for another message.
  public static let packetIdentifierInUse = ReasonCode(rawValue: 0x91)
  /// The message id stands for nothing.
  public static let packetIdentifierNotFound = ReasonCode(rawValue: 0x92)
  /// More messages came at once than were allowed.
  public static let receiveMaximumExceeded = ReasonCode(rawValue: 0x93)
  /// A topic alias that was not agreed on.
  public static let topicAliasInvalid = ReasonCode(rawValue: 0x94)
  /// The packet is larger than the other side takes.
  public static let packetTooLarge = ReasonCode(rawValue: 0x95)
  /// Messages come too fast.
  public static let messageRateTooHigh = ReasonCode(rawValue: 0x96)
  /// A limit of the broker's is reached.
  public static let quotaExceeded = ReasonCode(rawValue: 0x97)
  /// An administrator ended the connection.
  public static let administrativeAction = ReasonCode(rawValue: 0x98)
  /// The payload is said to be text and is not UTF-8.
  public static let payloadFormatInvalid = ReasonCode(rawValue: 0x99)
  /// The broker stores no retained messages.
  public static let retainNotSupported = ReasonCode(rawValue: 0x9A)
  /// The broker doesn't take this QoS.
  public static let qosNotSupported = ReasonCode(rawValue: 0x9B)
  /// Another broker serves this client for now.
  public static let useAnotherServer = ReasonCode(rawValue: 0x9C)
  /// Another broker serves this client from now on.
  public static let serverMoved = ReasonCode(rawValue: 0x9D)
  /// The broker has no `$share/group/filter`.
  public static let sharedSubscriptionsNotSupported = ReasonCode(rawValue: 0x9E)
  /// Connects come too fast.
  public static let connectionRateExceeded = ReasonCode(rawValue: 0x9F)
  /// The connection has lasted as long as it may.
  public static let maximumConnectTime = ReasonCode(rawValue: 0xA0)
  /// The broker has no subscription identifiers.
  public static let subscriptionIdentifiersNotSupported = ReasonCode(rawValue: 0xA1)
  /// The broker takes no `+` and no `#` in filters.
  public static let wildcardSubscriptionsNotSupported = ReasonCode(rawValue: 0xA2)
}

extension ReasonCode {
  /// The words of the specification. Zero also stands for a normal goodbye and for a grant at QoS 0.
  var words: String {
    switch rawValue {
    case 0x00: "Success"
    case 0x01: "Granted QoS 1"
    case 0x02: "Granted QoS 2"
    case 0x04: "Disconnect with Will Message"
    case 0x10: "No matching subscribers"
    case 0x11: "No subscription existed"
    case 0x18: "Continue authentication"
    case 0x19: "Re-authenticate"
    case 0x80: "Unspecified error"
    case 0x81: "Malformed packet"
    case 0x82: "Protocol error"
    case 0x83: "Implementation specific error"
    case 0x84: "Unsupported protocol version"
    case 0x85: "Client Identifier not valid"
    case 0x86: "Bad User Name or Password"
    case 0x87: "Not authorized"
    case 0x88: "Server unavailable"
    case 0x89: "Server busy"
    case 0x8A: "Banned"
    case 0x8B: "Server shutting down"
    case 0x8C: "Bad authentication method"
    case 0x8D: "Keep Alive timeout"
    case 0x8E: "Session taken over"
    case 0x8F: "Topic Filter invalid"
    case 0x90: "Topic Name invalid"
    case 0x91: "Packet Identifier in use"
    case 0x92: "Packet Identifier not found"
    case 0x93: "Receive Maximum exceeded"
    case 0x94: "Topic Alias invalid"
    case 0x95: "Packet too large"
    case 0x96: "Message rate too high"
    case 0x97: "Quota exceeded"
    case 0x98: "Administrative action"
    case 0x99: "Payload format invalid"
    case 0x9A: "Retain not supported"
    case 0x9B: "QoS not supported"
    case 0x9C: "Use another server"
    case 0x9D: "Server moved"
    case 0x9E: "Shared Subscriptions not supported"
    case 0x9F: "Connection rate exceeded"
    case 0xA0: "Maximum connect time"
    case 0xA1: "Subscription Identifiers not supported"
    case 0xA2: "Wildcard Subscriptions not supported"
    default: "Unknown reason"
    }
  }
}
