/// What helps against the reasons that a broker gives; empty where only the broker, or time, does.
extension ReasonCode {
  /// After the reason of a refused CONNECT.
  var mendOfRefusal: String {
    switch self {
    case .badUserNameOrPassword, .notAuthorized: "; check user and password"
    case .clientIdentifierNotValid: "; choose another client id"
    case .unsupportedProtocolVersion: "; ask for another version of MQTT"
    case .malformedPacket, .protocolError: "; look into the broker's log, or ask for another version of MQTT"
    case .banned: "; ask who runs the broker"
    case .badAuthenticationMethod: "; it wants more than the user and password that this client can give"
    case .topicNameInvalid: "; choose another topic for the will"
    case .packetTooLarge: "; shorten the will, its properties or the client id"
    case .payloadFormatInvalid: "; the will is said to be text and is none"
    case .retainNotSupported: "; leave out the will's retain"
    case .qosNotSupported: "; lower the will's QoS"
    case .serverMoved: "; connect to where it is now"
    default: ""
    }
  }

  /// After the reason of a broker's DISCONNECT.
  var mendOfDisconnection: String {
    switch self {
    case .malformedPacket, .protocolError, .implementationSpecific: "; look into the broker's log"
    case .notAuthorized: "; check what this user may do"
    case .administrativeAction: "; ask who runs the broker"
    case .keepAliveTimeout: "; raise keepAlive, or look for what holds up this machine or the network"
    case .topicFilterInvalid: "; subscribe to other filters"
    case .topicNameInvalid: "; publish to other topics"
    case .receiveMaximumExceeded: "; set a smaller window"
    case .packetTooLarge: "; send smaller messages"
    case .messageRateTooHigh, .quotaExceeded: "; send less"
    case .payloadFormatInvalid: "; a payload is said to be text and is none"
    case .retainNotSupported: "; publish without retain"
    case .qosNotSupported: "; publish with a lower QoS"
    case .serverMoved: "; connect to where it is now"
    case .sharedSubscriptionsNotSupported: "; subscribe without $share"
    case .subscriptionIdentifiersNotSupported: "; subscribe without identifiers"
    case .wildcardSubscriptionsNotSupported: "; subscribe without wildcards"
    default: ""
    }
  }
}
