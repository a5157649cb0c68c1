/// The numbers of the properties of MQTT 5, and where each may stand (2.2.2.2).
enum PropertyIdentifier: UInt8, CaseIterable, CustomStringConvertible {
  case payloadIsText = 0x01
  case messageExpiry = 0x02
  case contentType = 0x03
  case responseTopic = 0x08
  case correlationData = 0x09
  case subscriptionIdentifier = 0x0B
  case sessionExpiry = 0x11
  case assignedClientID = 0x12
  case serverKeepAlive = 0x13
  case authenticationMethod = 0x15
  case authenticationData = 0x16
  case requestProblemInformation = 0x17
  case willDelay = 0x18
  case requestResponseInformation = 0x19
  case responseInformation = 0x1A
  case serverReference = 0x1C
  case reasonString = 0x1F
  case receiveMaximum = 0x21
  case topicAliasMaximum = 0x22
  case topicAlias = 0x23
  case maximumQoS = 0x24
  case retainAvailable = 0x25
  case userProperty = 0x26
  case maximumPacketSize = 0x27
  case wildcardSubscriptionAvailable = 0x28
  case subscriptionIdentifiersAvailable = 0x29
  case sharedSubscriptionAvailable = 0x2A

  /// What has properties: a packet, or the will inside a CONNECT.
  enum Place: Hashable, CustomStringConvertible {
    case packet(Packet.Kind)
    case will

    var description: String {
      switch self {
      case .packet(let kind): "\(kind)"
      case .will: "a will"
      }
    }
  }

  var description: String {
    switch self {
    case .payloadIsText: "payload format indicator"
    case .messageExpiry: "message expiry"
    case .contentType: "content type"
    case .responseTopic: "response topic"
    case .correlationData: "correlation data"
    case .subscriptionIdentifier: "subscription identifier"
    case .sessionExpiry: "session expiry"
    case .assignedClientID: "assigned client id"
    case .serverKeepAlive: "server keep-alive"
    case .authenticationMethod: "authentication method"
    case .authenticationData: "authentication data"
    case .requestProblemInformation: "request problem information"
    case .willDelay: "will delay"
    case .requestResponseInformation: "request response information"
    case .responseInformation: "response information"
    case .serverReference: "server reference"
    case .reasonString: "reason string"
    case .receiveMaximum: "receive maximum"
    case .topicAliasMaximum: "topic alias maximum"
    case .topicAlias: "topic alias"
    case .maximumQoS: "maximum QoS"
    case .retainAvailable: "retain available"
    case .userProperty: "user property"
    case .maximumPacketSize: "maximum packet size"
    case .wildcardSubscriptionAvailable: "wildcard subscription available"
    case .subscriptionIdentifiersAvailable: "subscription identifiers available"
    case .sharedSubscriptionAvailable: "shared subscription available"
    }
  }

  func isAllowed(in place: Place) -> Bool {
    guard case .packet(let kind) = place else {
      return isOfMessage || self == .willDelay || self == .userProperty
    }
    switch self {
    case .payloadIsText, .messageExpiry, .contentType, .responseTopic, .correlationData, .topicAlias:
      return kind == .publish
    case .subscriptionIdentifier: return kind == .publish || kind == .subscribe
    case .sessionExpiry: return [.connect, .connack, .disconnect].contains(kind)
    case .authenticationMethod, .authenticationData: return [.connect, .connack, .auth].contains(kind)
    case .requestProblemInformation, .requestResponseInformation: return kind == .connect
    case .willDelay: return false
    case .serverReference: return kind == .connack || kind == .disconnect
    case .reasonString: return ![.connect, .publish, .subscribe, .unsubscribe].contains(kind)
    case .receiveMaximum, .topicAliasMaximum, .maximumPacketSize: return kind == .connect || kind == .connack
    case .userProperty: return true
    case .assignedClientID, .serverKeepAlive, .responseInformation, .maximumQoS, .retainAvailable,
      .wildcardSubscriptionAvailable, .subscriptionIdentifiersAvailable, .sharedSubscriptionAvailable:
      return kind == .connack
    }
  }

  /// Whether it may stand more than once: a message that matched several subscriptions names them all.
  func isRepeatable(in place: Place) -> Bool {
    self == .userProperty || self == .subscriptionIdentifier && place == .packet(.publish)
  }

  private var isOfMessage: Bool {
    [.payloadIsText, .messageExpiry, .contentType, .responseTopic, .correlationData].contains(self)
  }
}

extension Packet.Property {
  var identifier: PropertyIdentifier {
    switch self {
    case .payloadIsText: .payloadIsText
    case .messageExpiry: .messageExpiry
    case .contentType: .contentType
    case .responseTopic: .responseTopic
    case .correlationData: .correlationData
    case .subscriptionIdentifier: .subscriptionIdentifier
    case .sessionExpiry: .sessionExpiry
    case .assignedClientID: .assignedClientID
    case .serverKeepAlive: .serverKeepAlive
    case .authenticationMethod: .authenticationMethod
    case .authenticationData: .authenticationData
    case .requestProblemInformation: .requestProblemInformation
    case .willDelay: .willDelay
    case .requestResponseInformation: .requestResponseInformation
    case .responseInformation: .responseInformation
    case .serverReference: .serverReference
    case .reasonString: .reasonString
    case .receiveMaximum: .receiveMaximum
    case .topicAliasMaximum: .topicAliasMaximum
    case .topicAlias: .topicAlias
    case .maximumQoS: .maximumQoS
    case .retainAvailable: .retainAvailable
    case .userProperty: .userProperty
    case .maximumPacketSize: .maximumPacketSize
    case .wildcardSubscriptionAvailable: .wildcardSubscriptionAvailable
    case .subscriptionIdentifiersAvailable: .subscriptionIdentifiersAvailable
    case .sharedSubscriptionAvailable: .sharedSubscriptionAvailable
    }
  }
}
