extension ScriptedBroker.Link {
  /// Accepts the client, after waiting for its CONNECT if the script has not done so.
  @discardableResult
  public func accept(
    sessionPresent: Bool = false, properties: [Packet.Property] = []
  ) throws -> Packet.Connect {
    begin("waiting for CONNECT")
    let connect = try greetedConnect()
    try write(Packet.connack(sessionPresent: sessionPresent, properties: properties).encoded(for: version))
    return connect
  }

  /// Refuses the client, after waiting for its CONNECT if the script has not done so.
  ///
  /// A broker closes the connection then; so return from the script, or do what a broker may not.
  ///
  /// - Parameter reason: 1 to 5 in MQTT 3.1.1 (3.2.2.3), from 0x80 on in MQTT 5.
  @discardableResult
  public func refuse(
    _ reason: Packet.Reason, properties: [Packet.Property] = []
  ) throws -> Packet.Connect {
    begin("waiting for CONNECT")
    let connect = try greetedConnect()
    try write(Packet.connack(reason, properties: properties).encoded(for: version))
    return connect
  }

  /// Sends packets glued together: in one segment, if it has room for them.
  public func send(_ packets: Packet...) throws {
    begin("sending")
    try write(bytes(packets))
  }

  /// Sends bytes, whatever they mean.
  public func send(bytes: [UInt8]) throws {
    begin("sending")
    try write(bytes)
  }

  /// Sends packets in segments of one byte, with a pause after each.
  public func sendByteByByte(_ packets: Packet..., pause: Duration = .milliseconds(1)) throws {
    begin("sending")
    let bytes = try bytes(packets)
    try write(bytes, at: Array(bytes.indices), pause)
  }

  /// Sends bytes, whatever they mean, in segments of one byte, with a pause after each.
  public func sendByteByByte(bytes: [UInt8], pause: Duration = .milliseconds(1)) throws {
    begin("sending")
    try write(bytes, at: Array(bytes.indices), pause)
  }

  /// Sends packets in several segments, with a pause after each: the first ends before the byte at the first of
  /// `offsets`, which ascend, and so on.
  public func sendSplit(
    _ packets: Packet..., at offsets: [Int], pause: Duration = .milliseconds(20)
  ) throws {
    begin("sending")
    try write(bytes(packets), at: offsets, pause)
  }

  /// Sends bytes in several segments, as the other `sendSplit` does.
  public func sendSplit(bytes: [UInt8], at offsets: [Int], pause: Duration = .milliseconds(20)) throws {
    begin("sending")
    try write(bytes, at: offsets, pause)
  }

  /// The bytes of packets in the version of this link.
  public func bytes(_ packets: [Packet]) throws -> [UInt8] {
    do {
      var bytes: [UInt8] = []
      for packet in packets { bytes += try packet.encoded(for: version) }
      return bytes
    } catch {
      throw failure("can't send \(error)")
    }
  }

  private func write(_ bytes: [UInt8], at offsets: [Int], _ pause: Duration) throws {
    let inside = offsets.filter { 0 < $0 && $0 < bytes.count }
    for (start, end) in zip([0] + inside, inside + [bytes.count]) where start < end {
      try write(Array(bytes[start..<end]))
      if core.stop.wait(until: .now + pause) { throw ScriptedBrokerError.stopped }
    }
  }

  /// The CONNECT that is to be answered.
  func greetedConnect() throws -> Packet.Connect {
    isGreeted = true
    if let connect { return connect }
    let input = try nextInput(until: deadline, wanted: { "CONNECT" })
    if case .packet(.connect(let connect)) = input { return connect }
    if case .nothing = input { throw failure("expected CONNECT, nothing came within \(patience)") }
    throw failure("expected CONNECT, \(input.words)")
  }
}
