/// Takes the parts of a packet out of its bytes, and names what is missing.
struct PacketReader {
  let kind: Packet.Kind
  let version: Packet.Version
  private(set) var rest: ArraySlice<UInt8>

  init(_ kind: Packet.Kind, _ version: Packet.Version, _ body: ArraySlice<UInt8>) {
    self.kind = kind
    self.version = version
    rest = body
  }

  func malformed(_ problem: String) -> PacketError { PacketError(kind, problem) }

  mutating func take(_ count: Int, _ what: String) throws(PacketError) -> ArraySlice<UInt8> {
    guard rest.count >= count else {
      throw malformed("\(what) ends after \(rest.count) of its \(count) bytes")
    }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func byte(_ what: String) throws(PacketError) -> UInt8 {
    guard let byte = rest.popFirst() else { throw malformed("\(what) is missing") }
    return byte
  }

  mutating func flag(_ what: String) throws(PacketError) -> Bool {
    let byte = try byte(what)
    guard byte < 2 else { throw malformed("\(what) is \(byte), not 0 or 1") }
    return byte == 1
  }

  mutating func uint16(_ what: String) throws(PacketError) -> UInt16 {
    if rest.isEmpty { throw malformed("\(what) is missing") }
    return try take(2, what).reduce(0) { $0 << 8 | UInt16($1) }
  }

  mutating func uint32(_ what: String) throws(PacketError) -> UInt32 {
    if rest.isEmpty { throw malformed("\(what) is missing") }
    return try take(4, what).reduce(0) { $0 << 8 | UInt32($1) }
  }

  mutating func variable(_ what: String) throws(PacketError) -> Int {
    switch rest.withUnsafeBytes({ VariableLength.decode($0, at: 0) }) {
    case .number(let number, let size):
      rest = rest.dropFirst(size)
      return number
    case .incomplete: throw malformed("\(what) ends after \(rest.count) bytes and needs more")
    case .tooLong: throw malformed("\(what) has more than 4 bytes")
    case .notShortest: throw malformed("\(what) has more bytes than it needs")
    }
  }

  mutating func data(_ what: String) throws(PacketError) -> [UInt8] {
    let count = try uint16("the length of \(what)")
    return Array(try take(Int(count), what))
  }

  /// UTF-8 without U+0000 (MQTT 5, 1.5.4).
  mutating func string(_ what: String) throws(PacketError) -> String {
    let bytes = try data(what)
    guard let text = String(validating: bytes, as: UTF8.self) else { throw malformed("\(what) is not UTF-8") }
    guard !bytes.contains(0) else { throw malformed("\(what) holds U+0000") }
    return text
  }

  /// The number of a packet, which is never 0 (MQTT 5, 2.2.1).
  mutating func packetID() throws(PacketError) -> UInt16 {
    let id = try uint16("the packet id")
    guard id > 0 else { throw malformed("the packet id is 0") }
    return id
  }

  /// Everything that is left.
  mutating func remainder() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }

  func expectEnd() throws(PacketError) {
    guard rest.isEmpty else { throw malformed("\(Array(rest).counted) after its end") }
  }

  /// The properties with their length; none in MQTT 3.1.1.
  mutating func properties(in place: PropertyIdentifier.Place? = nil) throws(PacketError) -> [Packet.Property]
  {
    guard version == .v5 else { return [] }
    let place = place ?? .packet(kind)
    let count = try variable("the length of the properties")
    var list = PacketReader(kind, version, try take(count, "the list of properties"))
    var properties: [Packet.Property] = []
    var seen: Set<PropertyIdentifier> = []
    while !list.rest.isEmpty {
      let number = try list.variable("the number of a property")
      guard let identifier = UInt8(exactly: number).flatMap(PropertyIdentifier.init) else {
        throw malformed("there is no property \(number)")
      }
      guard identifier.isAllowed(in: place) else {
        throw malformed("\(identifier) is no property of \(place)")
      }
      guard seen.insert(identifier).inserted || identifier.isRepeatable(in: place) else {
        throw malformed("\(identifier) stands there twice")
      }
      properties.append(try list.property(identifier))
    }
    return properties
  }

  private mutating func property(_ identifier: PropertyIdentifier) throws(PacketError) -> Packet.Property {
    let what = "\(identifier)"
    switch identifier {
    case .payloadIsText: return .payloadIsText(try flag(what))
    case .messageExpiry: return .messageExpiry(try uint32(what))
    case .contentType: return .contentType(try string(what))
    case .responseTopic: return .responseTopic(try string(what))
    case .correlationData: return .correlationData(try data(what))
    case .subscriptionIdentifier: return .subscriptionIdentifier(UInt32(try notZero(variable(what), what)))
    case .sessionExpiry: return .sessionExpiry(try uint32(what))
    case .assignedClientID: return .assignedClientID(try string(what))
    case .serverKeepAlive: return .serverKeepAlive(try uint16(what))
    case .authenticationMethod: return .authenticationMethod(try string(what))
    case .authenticationData: return .authenticationData(try data(what))
    case .requestProblemInformation: return .requestProblemInformation(try flag(what))
    case .willDelay: return .willDelay(try uint32(what))
    case .requestResponseInformation: return .requestResponseInformation(try flag(what))
    case .responseInformation: return .responseInformation(try string(what))
    case .serverReference: return .serverReference(try string(what))
    case .reasonString: return .reasonString(try string(what))
    case .receiveMaximum: return .receiveMaximum(try notZero(uint16(what), what))
    case .topicAliasMaximum: return .topicAliasMaximum(try uint16(what))
    case .topicAlias: return .topicAlias(try notZero(uint16(what), what))
    case .maximumQoS: return .maximumQoS(try flag(what) ? 1 : 0)
    case .retainAvailable: return .retainAvailable(try flag(what))
    case .userProperty:
      let name = try string("the name of a \(what)")
      return .userProperty(name, try string("the value of a \(what)"))
    case .maximumPacketSize: return .maximumPacketSize(try notZero(uint32(what), what))
    case .wildcardSubscriptionAvailable: return .wildcardSubscriptionAvailable(try flag(what))
    case .subscriptionIdentifiersAvailable: return .subscriptionIdentifiersAvailable(try flag(what))
    case .sharedSubscriptionAvailable: return .sharedSubscriptionAvailable(try flag(what))
    }
  }

  private func notZero<Number: FixedWidthInteger>(_ number: Number, _ what: String) throws(PacketError)
    -> Number
  {
    guard number > 0 else { throw malformed("\(what) is 0") }
    return number
  }
}
