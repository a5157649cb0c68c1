extension ScriptedBroker.Link {
  /// The next packet, or `nil` when the client has closed or reset the connection.
  public func receive() throws -> Packet? {
    begin("waiting for a packet")
    switch try nextInput(until: deadline, wanted: { "a packet" }) {
    case .packet(let packet): return packet
    case .end: return nil
    case .nothing: throw failure("expected a packet, nothing came within \(patience)")
    }
  }

  /// The next packet, which must be of this kind.
  ///
  /// A PINGREQ that is expected is returned, and answered before unless ``answersPings`` is off.
  @discardableResult
  public func expect(_ kind: Packet.Kind) throws -> Packet {
    try expect("\(kind)", passesPings: kind == .pingreq) { $0.kind == kind ? $0 : nil }
  }

  /// The next packet, which must be this one in every part.
  public func expect(exactly packet: Packet) throws {
    try expect("exactly \(packet)", passesPings: packet.kind == .pingreq) { $0 == packet ? () : nil }
  }

  /// The client's CONNECT.
  @discardableResult
  public func expectConnect() throws -> Packet.Connect {
    try expect("CONNECT") { if case .connect(let connect) = $0 { connect } else { nil } }
  }

  /// A message; what is given must be so.
  @discardableResult
  public func expectPublish(
    to topic: String? = nil, _ text: String? = nil, qos: UInt8? = nil
  ) throws -> Packet.Publish {
    var wanted = "PUBLISH"
    if let topic { wanted += " to \(topic.quoted)" }
    if let qos { wanted += ", QoS \(qos)" }
    if let text { wanted += ", \(text.quoted)" }
    return try expect(wanted) { packet in
      guard case .publish(let publish) = packet else { return nil }
      let fits =
        topic ?? publish.topic == publish.topic && qos ?? publish.qos == publish.qos
        && text ?? publish.text == publish.text
      return fits ? publish : nil
    }
  }

  /// The receipt of the QoS 1 message with this number, or of any.
  @discardableResult
  public func expectPuback(_ id: UInt16? = nil) throws -> Packet.Ack {
    try expectAck(.puback, id)
  }

  /// The receipt of the QoS 2 message with this number, or of any.
  @discardableResult
  public func expectPubrec(_ id: UInt16? = nil) throws -> Packet.Ack {
    try expectAck(.pubrec, id)
  }

  /// The release of the QoS 2 message with this number, or of any.
  @discardableResult
  public func expectPubrel(_ id: UInt16? = nil) throws -> Packet.Ack {
    try expectAck(.pubrel, id)
  }

  /// The end of the QoS 2 message with this number, or of any.
  @discardableResult
  public func expectPubcomp(_ id: UInt16? = nil) throws -> Packet.Ack {
    try expectAck(.pubcomp, id)
  }

  /// A SUBSCRIBE with these filters in this order, or with any if there are none.
  @discardableResult
  public func expectSubscribe(to filters: String...) throws -> Packet.Subscribe {
    let wanted = filters.isEmpty ? "" : " to \(filters.map(\.quoted).joined(separator: ", "))"
    return try expect("SUBSCRIBE\(wanted)") { packet in
      guard case .subscribe(let subscribe) = packet else { return nil }
      return filters.isEmpty || subscribe.filters.map(\.name) == filters ? subscribe : nil
    }
  }

  /// An UNSUBSCRIBE with these filters in this order, or with any if there are none.
  @discardableResult
  public func expectUnsubscribe(from filters: String...) throws -> Packet.Unsubscribe {
    let wanted = filters.isEmpty ? "" : " from \(filters.map(\.quoted).joined(separator: ", "))"
    return try expect("UNSUBSCRIBE\(wanted)") { packet in
      guard case .unsubscribe(let unsubscribe) = packet else { return nil }
      return filters.isEmpty || unsubscribe.filters == filters ? unsubscribe : nil
    }
  }

  /// The client's goodbye.
  @discardableResult
  public func expectDisconnect() throws -> Packet.Disconnect {
    try expect("DISCONNECT") { if case .disconnect(let disconnect) = $0 { disconnect } else { nil } }
  }

  /// The end of the connection by the client, with no packet before it.
  public func expectEnd() throws {
    begin("waiting for the end of the connection")
    let wanted = "the end of the connection"
    let input = try nextInput(until: deadline, wanted: { wanted })
    if case .end = input { return }
    throw failure("expected \(wanted), \(input.words)\(input.limit(patience))")
  }

  /// Makes sure that the client sends no packet, and does not go, for this long.
  public func expectNothing(for duration: Duration) throws {
    begin("expecting nothing")
    let input = try nextInput(until: .now + duration, wanted: { "nothing for \(duration)" })
    if case .nothing = input { return }
    throw failure("expected nothing for \(duration), \(input.words)")
  }

  private func expectAck(_ kind: Packet.Kind, _ id: UInt16?) throws -> Packet.Ack {
    try expect("\(kind)\(id.map { " \($0)" } ?? "")") { packet in
      guard packet.kind == kind, let ack = packet.ack else { return nil }
      return id ?? ack.id == ack.id ? ack : nil
    }
  }

  private func expect<Part>(
    _ wanted: @autoclosure () -> String, passesPings: Bool = false, _ match: (Packet) -> Part?
  ) throws -> Part {
    begin("waiting for \(wanted())")
    let input = try nextInput(until: deadline, passesPings: passesPings, wanted: wanted)
    if case .packet(let packet) = input, let part = match(packet) { return part }
    throw failure("expected \(wanted()), \(input.words)\(input.limit(patience))")
  }
}

extension ScriptedBroker.Link.Input {
  /// How long nothing came.
  fileprivate func limit(_ patience: Duration) -> String {
    if case .nothing = self { " within \(patience)" } else { "" }
  }
}

extension Packet {
  /// The body of PUBACK, PUBREC, PUBREL and PUBCOMP.
  var ack: Ack? {
    switch self {
    case .puback(let ack), .pubrec(let ack), .pubrel(let ack), .pubcomp(let ack): ack
    default: nil
    }
  }
}
