extension Packet {
  /// The bytes of the packet.
  ///
  /// Nothing is checked but that there are such bytes: a QoS of 3, a number of 0 or a property in the wrong place
  /// are encoded, so that a script can send them. For MQTT 3.1.1 properties, and the reasons of acknowledgements,
  /// are left out. A CONNECT is written in the version that it asks for, whatever `version` is.
  ///
  /// - Throws: `PacketError` for what is too long for its length field, and for AUTH in MQTT 3.1.1.
  public func encoded(for version: Version) throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(kind, version)
    if case .connect(let connect) = self { writer = PacketWriter(kind, connect.version) }
    try write(to: &writer)
    guard writer.bytes.count <= VariableLength.maximum else {
      throw PacketError(
        kind, "its length is \(writer.bytes.count), and \(VariableLength.maximum) is the most that fits")
    }
    return [kind.rawValue << 4 | flags] + VariableLength.encoded(writer.bytes.count) + writer.bytes
  }

  /// The last four bits of the first byte (2.1.3).
  private var flags: UInt8 {
    switch self {
    case .publish(let publish):
      (publish.isDuplicate ? 8 : 0) | (publish.qos & 3) << 1 | (publish.retain ? 1 : 0)
    default: kind.flags
    }
  }

  private func write(to writer: inout PacketWriter) throws(PacketError) {
    switch self {
    case .connect(let connect): try connect.write(to: &writer)
    case .connack(let connack):
      writer.put(connack.sessionPresent)
      writer.put(connack.reason.rawValue)
      try writer.put(connack.properties)
    case .publish(let publish):
      try writer.put(publish.topic, "the topic")
      if publish.qos > 0 { writer.put(publish.id) }
      try writer.put(publish.properties)
      writer.put(raw: publish.payload)
    case .puback(let ack), .pubrec(let ack), .pubrel(let ack), .pubcomp(let ack):
      writer.put(ack.id)
      try writer.put(ack.reason, ack.properties)
    case .subscribe(let subscribe): try subscribe.write(to: &writer)
    case .suback(let suback):
      writer.put(suback.id)
      try writer.put(suback.properties)
      writer.put(raw: suback.reasons.map(\.rawValue))
    case .unsubscribe(let unsubscribe):
      writer.put(unsubscribe.id)
      try writer.put(unsubscribe.properties)
      for (index, filter) in unsubscribe.filters.enumerated() {
        try writer.put(filter, "filter \(index + 1)")
      }
    case .unsuback(let unsuback):
      writer.put(unsuback.id)
      try writer.put(unsuback.properties)
      if writer.version == .v5 { writer.put(raw: unsuback.reasons.map(\.rawValue)) }
    case .pingreq, .pingresp: break
    case .disconnect(let disconnect): try writer.put(disconnect.reason, disconnect.properties)
    case .auth(let auth):
      guard writer.version == .v5 else { throw PacketError(.auth, "is not a packet of MQTT 3.1.1") }
      try writer.put(auth.reason, auth.properties)
    }
  }
}

extension Packet.Kind {
  /// The last four bits of the first byte, of all but PUBLISH (2.1.3).
  var flags: UInt8 { [.pubrel, .subscribe, .unsubscribe].contains(self) ? 2 : 0 }
}

extension Packet.Connect {
  fileprivate func write(to writer: inout PacketWriter) throws(PacketError) {
    try writer.put("MQTT", "the name of the protocol")
    writer.put(version.rawValue)
    var flags: UInt8 = cleanStart ? 2 : 0
    if let will { flags |= 4 | (will.qos & 3) << 3 | (will.retain ? 0x20 : 0) }
    if password != nil { flags |= 0x40 }
    if user != nil { flags |= 0x80 }
    writer.put(flags)
    writer.put(keepAlive)
    try writer.put(properties)
    try writer.put(clientID, "the client id")
    if let will {
      try writer.put(will.properties)
      try writer.put(will.topic, "the topic of the will")
      try writer.put(will.payload, "the payload of the will")
    }
    if let user { try writer.put(user, "the user name") }
    if let password { try writer.put(password, "the password") }
  }
}

extension Packet.Subscribe {
  fileprivate func write(to writer: inout PacketWriter) throws(PacketError) {
    writer.put(id)
    try writer.put(properties)
    for (index, filter) in filters.enumerated() {
      try writer.put(filter.name, "filter \(index + 1)")
      var options = filter.qos & 3
      if writer.version == .v5 {
        options |=
          (filter.noLocal ? 4 : 0) | (filter.retainAsPublished ? 8 : 0) | (filter.retainHandling & 3) << 4
      }
      writer.put(options)
    }
  }
}

extension PacketWriter {
  /// The end of packets that may leave out a success without properties (MQTT 5, 3.4.2.1).
  fileprivate mutating func put(_ reason: Packet.Reason, _ properties: [Packet.Property]) throws(PacketError)
  {
    guard version == .v5, reason != .success || !properties.isEmpty else { return }
    put(reason.rawValue)
    if !properties.isEmpty { try put(properties) }
  }
}
