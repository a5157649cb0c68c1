extension PacketReader {
  /// Reads the body of a packet whose first byte ends with `flags`.
  mutating func packet(flags: UInt8) throws(PacketError) -> Packet {
    guard kind == .publish || flags == kind.flags else {
      throw malformed("its flags are \(flags), not \(kind.flags)")
    }
    let packet = try body(flags: flags)
    try expectEnd()
    return packet
  }

  private mutating func body(flags: UInt8) throws(PacketError) -> Packet {
    switch kind {
    case .connect: return .connect(try connect())
    case .connack: return .connack(try connack())
    case .publish: return .publish(try publish(flags: flags))
    case .puback: return .puback(try ack())
    case .pubrec: return .pubrec(try ack())
    case .pubrel: return .pubrel(try ack())
    case .pubcomp: return .pubcomp(try ack())
    case .subscribe: return .subscribe(try subscribe())
    case .suback:
      let id = try packetID()
      let properties = try properties()
      return .suback(id, try reasons(), properties: properties)
    case .unsubscribe: return .unsubscribe(try unsubscribe())
    case .unsuback:
      let id = try packetID()
      let properties = try properties()
      return .unsuback(id, version == .v5 ? try reasons() : [], properties: properties)
    case .pingreq: return .pingreq
    case .pingresp: return .pingresp
    case .disconnect:
      let (reason, properties) = try outcome()
      return .disconnect(reason, properties: properties)
    case .auth:
      guard version == .v5 else { throw malformed("is not a packet of MQTT 3.1.1") }
      let (reason, properties) = try outcome()
      return .auth(reason, properties: properties)
    }
  }

  private mutating func connect() throws(PacketError) -> Packet.Connect {
    let name = try string("the name of the protocol")
    let level = try byte("the level of the protocol")
    guard name == "MQTT", let version = Packet.Version(rawValue: level) else {
      throw malformed("the protocol is \(name.quoted), level \(level): only MQTT 3.1.1 and 5 are spoken here")
    }
    // From here on the rules are those of the version that it asks for.
    self = PacketReader(kind, version, rest)
    let flags = try byte("the flags of the connection")
    guard flags & 1 == 0 else { throw malformed("the reserved flag of the connection is set") }
    let hasWill = flags & 4 != 0
    guard hasWill || flags & 0x38 == 0 else { throw malformed("there are flags of a will, but no will") }
    let willQoS = flags >> 3 & 3
    guard willQoS < 3 else { throw malformed("the QoS of the will is 3") }
    guard version == .v5 || flags & 0xC0 != 0x40 else {
      throw malformed("there is a password, but no user name")
    }
    var connect = Packet.Connect(version: version, cleanStart: flags & 2 != 0)
    connect.keepAlive = try uint16("the keep-alive")
    connect.properties = try properties()
    connect.clientID = try string("the client id")
    guard version == .v5 || connect.cleanStart || !connect.clientID.isEmpty else {
      throw malformed("the client id is empty without a clean session")
    }
    if hasWill {
      let properties = try properties(in: .will)
      let topic = try string("the topic of the will")
      let payload = try data("the payload of the will")
      connect.will = Packet.Will(
        topic: topic, payload: payload, qos: willQoS, retain: flags & 0x20 != 0, properties: properties)
    }
    if flags & 0x80 != 0 { connect.user = try string("the user name") }
    if flags & 0x40 != 0 { connect.password = try data("the password") }
    return connect
  }

  private mutating func connack() throws(PacketError) -> Packet.Connack {
    let sessionPresent = try flag("the session-present flag")
    let reason = Packet.Reason(rawValue: try byte("the reason"))
    return Packet.Connack(sessionPresent: sessionPresent, reason: reason, properties: try properties())
  }

  private mutating func publish(flags: UInt8) throws(PacketError) -> Packet.Publish {
    let qos = flags >> 1 & 3
    guard qos < 3 else { throw malformed("its QoS is 3") }
    guard qos > 0 || flags & 8 == 0 else { throw malformed("it is a duplicate of QoS 0") }
    let topic = try string("the topic")
    guard !topic.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") }) else {
      throw malformed("the topic \(topic.quoted) holds a wildcard")
    }
    let id = qos > 0 ? try packetID() : 0
    let properties = try properties()
    let hasAlias = properties.contains { $0.identifier == .topicAlias }
    guard !topic.isEmpty || hasAlias else { throw malformed("the topic is empty") }
    return Packet.Publish(
      topic: topic, payload: remainder(), qos: qos, retain: flags & 1 != 0, isDuplicate: flags & 8 != 0,
      id: id,
      properties: properties)
  }

  private mutating func ack() throws(PacketError) -> Packet.Ack {
    let id = try packetID()
    let (reason, properties) = try outcome()
    return Packet.Ack(id: id, reason: reason, properties: properties)
  }

  private mutating func subscribe() throws(PacketError) -> Packet.Subscribe {
    var subscribe = Packet.Subscribe(id: try packetID(), filters: [])
    subscribe.properties = try properties()
    while !rest.isEmpty {
      let what = "filter \(subscribe.filters.count + 1)"
      let name = try string(what)
      guard !name.isEmpty else { throw malformed("\(what) is empty") }
      let options = try byte("the options byte of \(what)")
      guard options & 3 < 3 else { throw malformed("the QoS of \(what) is 3") }
      let reserved: UInt8 = version == .v5 ? 0xC0 : 0xFC
      guard options & reserved == 0 else { throw malformed("the reserved options of \(what) are set") }
      guard options >> 4 < 3 else { throw malformed("the retain handling of \(what) is 3") }
      subscribe.filters.append(
        .init(
          name, qos: options & 3, noLocal: options & 4 != 0, retainAsPublished: options & 8 != 0,
          retainHandling: options >> 4))
    }
    guard !subscribe.filters.isEmpty else { throw malformed("it has no filter") }
    return subscribe
  }

  private mutating func unsubscribe() throws(PacketError) -> Packet.Unsubscribe {
    var unsubscribe = Packet.Unsubscribe(id: try packetID(), filters: [])
    unsubscribe.properties = try properties()
    while !rest.isEmpty {
      let what = "filter \(unsubscribe.filters.count + 1)"
      let name = try string(what)
      guard !name.isEmpty else { throw malformed("\(what) is empty") }
      unsubscribe.filters.append(name)
    }
    guard !unsubscribe.filters.isEmpty else { throw malformed("it has no filter") }
    return unsubscribe
  }

  private mutating func reasons() throws(PacketError) -> [Packet.Reason] {
    guard !rest.isEmpty else { throw malformed("it has no reason") }
    return remainder().map(Packet.Reason.init(rawValue:))
  }

  /// The end of packets that may leave out a success without properties (MQTT 5, 3.4.2.1).
  private mutating func outcome() throws(PacketError) -> (Packet.Reason, [Packet.Property]) {
    guard version == .v5, !rest.isEmpty else { return (.success, []) }
    let reason = Packet.Reason(rawValue: try byte("the reason"))
    return (reason, rest.isEmpty ? [] : try properties())
  }
}
