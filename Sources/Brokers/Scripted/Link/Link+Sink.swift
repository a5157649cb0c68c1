extension ScriptedBroker.Link {
  /// Reads messages as fast as it can, and acknowledges those of QoS 1 and 2, many in one write; answers all else as
  /// ``serve(_:)`` does.
  ///
  /// Nothing but the lengths of messages is looked at, and nothing is recorded.
  ///
  /// - Parameter limit: after how many messages to return; otherwise when the client goes.
  /// - Returns: what came. In ``ScriptedBroker/Traffic/acknowledged`` the answers that were written are counted.
  @discardableResult
  public func sink(_ limit: Int = .max) throws -> ScriptedBroker.Traffic {
    begin("the sink")
    if !isGreeted {
      _ = try greetedConnect()
      try write(Packet.connack().encoded(for: version))
    }
    var traffic = ScriptedBroker.Traffic()
    var start: ContinuousClock.Instant?
    var last = ContinuousClock.now
    var answers: [UInt8] = []
    var isOver = false
    // Of an earlier flood.
    for packet in early {
      if case .publish = packet { traffic.messages += 1 }
      if let reply = reply(to: packet) { answers += try bytes([reply]) }
    }
    early = []
    while true {
      let before = traffic.messages
      var acknowledged = 0
      // What only `Packet` understands is rare, and is decoded outside the loop over the buffer.
      var others: [(header: UInt8, body: [UInt8])] = []
      try scan { header, body in
        switch header & 0xF0 {
        case 0x30:
          traffic.messages += 1
          traffic.bytes += 1 + body.count + Self.lengthSize(body.count)
          if header & 0x06 != 0, let id = Self.packetID(body) {
            answers += [header & 0x06 == 0x02 ? 0x40 : 0x50, 2, id.0, id.1]
            acknowledged += 1
          }
        case 0x60 where body.count >= 2: answers += [0x70, 2, body[0], body[1]]
        case 0xC0: if answersPings { answers += [0xD0, 0] }
        case 0xE0: isOver = true
        default: others.append((header, Array(body)))
        }
        return traffic.messages < limit && !isOver
      }
      for (header, body) in others {
        if let reply = try reply(to: decoded(header, body)) { answers += try bytes([reply]) }
      }
      if traffic.messages > before {
        last = .now
        start = start ?? last
      }
      // A client that is gone may have sent more than was read.
      if try answers.isEmpty || writeWhileReading(answers) { traffic.acknowledged += acknowledged }
      answers.removeAll(keepingCapacity: true)
      traffic.duration = start.map { last - $0 } ?? .zero
      if isOver || traffic.messages >= limit { return traffic }
      switch try fill(until: nil, room: 1 << 18) {
      case .bytes: continue
      case .ended, .broken: return traffic
      case .stopped, .timedOut: throw ScriptedBrokerError.stopped
      }
    }
  }

  /// The number of a message of QoS 1 or 2, which follows its topic.
  @inline(__always)
  private static func packetID(_ body: UnsafeRawBufferPointer) -> (UInt8, UInt8)? {
    guard body.count >= 2 else { return nil }
    let place = 2 + Int(body[0]) << 8 + Int(body[1])
    return place + 2 <= body.count ? (body[place], body[place + 1]) : nil
  }

  @inline(__always)
  private static func lengthSize(_ count: Int) -> Int {
    count < 128 ? 1 : count < 16_384 ? 2 : count < 2_097_152 ? 3 : 4
  }
}

extension ScriptedBroker.Link {
  /// Goes over the whole packets that are here, without making values of them.
  func scan(_ body: (_ header: UInt8, _ body: UnsafeRawBufferPointer) throws -> Bool) throws {
    do {
      try decoder.frames.scan(body)
    } catch let error as PacketError {
      throw failure("got a malformed \(error)")
    }
  }

  func decoded(_ header: UInt8, _ body: [UInt8]) throws -> Packet {
    do {
      return try decoder.decode(header, body[...])
    } catch {
      throw failure("got a malformed \(error)")
    }
  }

  /// Writes all bytes, and takes in what comes while the socket is full, so that two sides that both write before
  /// they read don't wait for each other. False when the client has gone.
  func writeWhileReading(_ bytes: [UInt8]) throws -> Bool {
    let socket = try openSocket()
    return try bytes.withUnsafeBytes { all in
      var written = 0
      while written < all.count {
        let rest = UnsafeRawBufferPointer(rebasing: all[written...])
        let outcome = socket.write(
          rest, until: deadline, onInput: ending == nil ? { self.fillNow(from: socket) } : nil)
        switch outcome {
        case .bytes(let count): written += count
        case .broken, .ended: return false
        case .timedOut: throw failure("the client read nothing for \(patience)")
        case .stopped: throw ScriptedBrokerError.stopped
        }
      }
      return true
    }
  }
}
