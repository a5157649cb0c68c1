/// Puts the parts of a packet into bytes (MQTT 5, 1.5).
///
/// It checks nothing but what has no bytes at all: a broker that plays faults must be able to send them.
struct PacketWriter {
  let kind: Packet.Kind
  let version: Packet.Version
  private(set) var bytes: [UInt8] = []

  init(_ kind: Packet.Kind, _ version: Packet.Version) {
    self.kind = kind
    self.version = version
  }

  mutating func put(_ byte: UInt8) { bytes.append(byte) }

  mutating func put(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

  mutating func put(_ number: UInt16) {
    bytes.append(UInt8(number >> 8))
    bytes.append(UInt8(number & 0xFF))
  }

  mutating func put(_ number: UInt32) {
    put(UInt16(number >> 16))
    put(UInt16(number & 0xFFFF))
  }

  mutating func put(raw more: [UInt8]) { bytes += more }

  mutating func put(variable number: Int, _ what: String) throws(PacketError) {
    guard number <= VariableLength.maximum else {
      throw PacketError(kind, "\(what) is \(number), and \(VariableLength.maximum) is the most that fits")
    }
    bytes += VariableLength.encoded(number)
  }

  mutating func put(_ text: String, _ what: String) throws(PacketError) {
    try put(Array(text.utf8), what)
  }

  mutating func put(_ data: [UInt8], _ what: String) throws(PacketError) {
    guard let count = UInt16(exactly: data.count) else {
      throw PacketError(kind, "\(what) has \(data.count) bytes, and 65535 is the most that fits")
    }
    put(count)
    bytes += data
  }

  /// The properties with their length, in MQTT 5.
  mutating func put(_ properties: [Packet.Property]) throws(PacketError) {
    guard version == .v5 else { return }
    var list = PacketWriter(kind, version)
    for property in properties { try list.put(property) }
    try put(variable: list.bytes.count, "the length of the properties")
    bytes += list.bytes
  }

  private mutating func put(_ property: Packet.Property) throws(PacketError) {
    let identifier = property.identifier
    put(identifier.rawValue)
    switch property {
    case .payloadIsText(let value), .requestProblemInformation(let value),
      .requestResponseInformation(let value), .retainAvailable(let value),
      .wildcardSubscriptionAvailable(let value), .subscriptionIdentifiersAvailable(let value),
      .sharedSubscriptionAvailable(let value):
      put(value)
    case .maximumQoS(let value):
      put(value)
    case .serverKeepAlive(let value), .receiveMaximum(let value), .topicAliasMaximum(let value),
      .topicAlias(let value):
      put(value)
    case .messageExpiry(let value), .sessionExpiry(let value), .willDelay(let value),
      .maximumPacketSize(let value):
      put(value)
    case .subscriptionIdentifier(let value):
      try put(variable: Int(value), "\(identifier)")
    case .contentType(let value), .responseTopic(let value), .assignedClientID(let value),
      .authenticationMethod(let value), .responseInformation(let value), .serverReference(let value),
      .reasonString(let value):
      try put(value, "\(identifier)")
    case .correlationData(let value), .authenticationData(let value):
      try put(value, "\(identifier)")
    case .userProperty(let name, let value):
      try put(name, "the name of a \(identifier)")
      try put(value, "the value of a \(identifier)")
    }
  }
}
