extension ScriptedBroker {
  /// One client of a ``ScriptedBroker``, as its script sees it.
  ///
  /// Its calls block, on the script's thread, until they have done what they say, their time is over
  /// (``patience``), or the broker is stopped. A call that fails throws `ScriptedBrokerError.step`, which names the
  /// link, the number of the call in this script, what was wanted and what came instead; scripts let it pass.
  ///
  /// A PINGREQ after CONNECT is answered and passed over whenever a call reads from the link, as long as
  /// ``answersPings`` says so.
  public final class Link {
    /// 0 for the first client of the broker, 1 for the second one, which may be the same one come back.
    public let number: Int

    /// Whether PINGREQ is answered without the script. If not, it is a packet like any other.
    public var answersPings = true

    /// How long a call waits for the client before it fails; the ends of `serve`, `sink` and `silence` are waited
    /// for without a limit.
    public var patience: Duration

    /// The client's CONNECT, once it was received.
    public internal(set) var connect: Packet.Connect?

    /// The number of the present call, from 1.
    public internal(set) var step = 0

    /// The version that packets are written and read in: that of the client's CONNECT, or a lie.
    public var version: Packet.Version {
      get { decoder.version }
      set { decoder.version = newValue }
    }

    let core: ScriptCore
    var socket: LinkSocket?
    var decoder = PacketDecoder()
    /// Packets that came while something else was read.
    var early: [Packet] = []
    /// Whether CONNECT was answered, well or not.
    var isGreeted = false
    /// How the client ended, when it has.
    var ending: String?

    init(_ number: Int, _ socket: LinkSocket, _ core: ScriptCore) {
      self.number = number
      self.socket = socket
      self.core = core
      patience = core.patience
    }

    /// The moment at which a wait that begins now fails.
    var deadline: ContinuousClock.Instant { .now + patience }

    /// Counts a step. What it does is told to those who wait for the end of the script.
    func begin(_ doing: @autoclosure () -> String) {
      step += 1
      let (step, doing) = (step, doing())
      core.state.withLock { $0.steps[number] = (step, doing) }
    }

    func failure(_ problem: String) -> ScriptedBrokerError {
      .step(link: number, step: step, problem: problem)
    }

    /// The socket, as long as the script has not closed it.
    func openSocket() throws -> LinkSocket {
      guard let socket else { throw failure("the script has closed the link") }
      return socket
    }

    /// Closes what the script left open.
    func end() {
      socket?.close()
      socket = nil
    }
  }
}

extension ScriptedBroker.Link {
  /// What may come from a client.
  enum Input {
    case packet(Packet)
    /// The client has gone; the text is what it did, such as "closed the connection".
    case end(String)
    case nothing

    /// What came, in the words of a failure.
    var words: String {
      switch self {
      case .packet(let packet): "got \(packet)"
      case .end(let how): "the client \(how)"
      case .nothing: "nothing came"
      }
    }
  }

  /// The next packet or what there is instead of one; pings are answered here.
  ///
  /// - Parameter passesPings: whether a PINGREQ is returned, answered or not.
  func nextInput(
    until deadline: ContinuousClock.Instant?, passesPings: Bool = false, wanted: () -> String
  ) throws -> Input {
    while true {
      if !early.isEmpty { return .packet(early.removeFirst()) }
      if let packet = try nextPacket(wanted) {
        guard case .pingreq = packet, answersPings, connect != nil else { return .packet(packet) }
        try answer(.pingresp)
        if passesPings { return .packet(packet) }
        continue
      }
      if let ending { return .end(decoder.pendingBytes > 0 ? "\(ending) inside a packet" : ending) }
      switch try fill(until: deadline) {
      case .bytes, .ended, .broken: continue
      case .stopped: throw ScriptedBrokerError.stopped
      case .timedOut: return .nothing
      }
    }
  }

  /// The next packet of those that are here, recorded.
  private func nextPacket(_ wanted: () -> String) throws -> Packet? {
    do {
      guard let packet = try decoder.next() else { return nil }
      if case .connect(let connect) = packet { self.connect = connect }
      core.state.withLock { $0.received.append(.init(link: number, packet: packet)) }
      return packet
    } catch {
      throw failure("expected \(wanted()), got a malformed \(error)")
    }
  }

  /// Reads once into the decoder, and waits for that.
  func fill(until deadline: ContinuousClock.Instant?, room: Int = 1 << 14) throws -> LinkSocket.Outcome {
    let socket = try openSocket()
    var outcome = LinkSocket.Outcome.timedOut
    _ = decoder.frames.fill(room: room) { memory in
      outcome = socket.read(into: memory, until: deadline)
      return outcome.count
    }
    note(outcome)
    return outcome
  }

  /// Reads once into the decoder if there is something; whether there may be more.
  func fillNow(from socket: LinkSocket, room: Int = 1 << 16) -> Bool {
    var outcome: LinkSocket.Outcome?
    _ = decoder.frames.fill(room: room) { memory in
      outcome = socket.readNow(into: memory)
      return outcome?.count ?? 0
    }
    if let outcome { note(outcome) }
    return ending == nil
  }

  private func note(_ outcome: LinkSocket.Outcome) {
    switch outcome {
    case .ended: ending = "closed the connection"
    case .broken(let how): ending = how
    case .bytes, .stopped, .timedOut: break
    }
  }

  /// Sends what nobody asked a script for. A client that is gone before is no failure: what it sent last is still
  /// to be read, and its end after that.
  func answer(_ packet: Packet) throws {
    _ = try writeWhileReading(bytes([packet]))
  }

  /// Writes all bytes, in as few calls as the socket allows.
  func write(_ bytes: [UInt8]) throws {
    let socket = try openSocket()
    try bytes.withUnsafeBytes { all in
      var written = 0
      while written < all.count {
        let rest = UnsafeRawBufferPointer(rebasing: all[written...])
        switch socket.write(rest, until: deadline) {
        case .bytes(let count): written += count
        case .broken(let how): throw failure("sent \(written) of \(bytes.counted), then the client \(how)")
        case .timedOut:
          throw failure("sent \(written) of \(bytes.counted), then the client read nothing for \(patience)")
        case .stopped: throw ScriptedBrokerError.stopped
        case .ended: return
        }
      }
    }
  }
}

extension LinkSocket.Outcome {
  fileprivate var count: Int { if case .bytes(let count) = self { count } else { 0 } }
}
