extension ScriptedBroker.Link {
  /// Answers all that comes as a broker would, until the client goes: CONNECT, if it was not answered yet, is
  /// accepted, subscriptions are granted, and messages are acknowledged and forgotten.
  ///
  /// ```swift
  /// try link.serve { packet in
  ///   guard case .subscribe(let subscribe) = packet else { return false }
  ///   try link.send(.suback(subscribe.id, [.notAuthorized]))
  ///   return true
  /// }
  /// ```
  ///
  /// - Parameter handle: sees each packet first, pings too; what it returns true for is not answered here.
  public func serve(_ handle: (Packet) throws -> Bool = { _ in false }) throws {
    begin("serving")
    let answered = answersPings
    answersPings = false
    defer { answersPings = answered }
    // A hook may have closed the link, or reset it.
    while socket != nil {
      guard case .packet(let packet) = try nextInput(until: nil, wanted: { "a packet" }) else { return }
      let isConnect = packet.kind == .connect
      let wasGreeted = isGreeted
      if try handle(packet) {
        if isConnect { isGreeted = true }
        continue
      }
      if isConnect == wasGreeted {
        throw failure("expected \(wasGreeted ? "no second CONNECT" : "CONNECT"), got \(packet)")
      }
      if packet.kind == .disconnect { return }
      if packet.kind == .pingreq, !answered { continue }
      if let reply = reply(to: packet) { try answer(reply) }
    }
  }

  /// What a broker says to a packet.
  func reply(to packet: Packet) -> Packet? {
    switch packet {
    case .connect:
      isGreeted = true
      return .connack()
    case .publish(let publish):
      return publish.qos == 1 ? .puback(publish.id) : publish.qos == 2 ? .pubrec(publish.id) : nil
    case .pubrec(let ack): return .pubrel(ack.id)
    case .pubrel(let ack): return .pubcomp(ack.id)
    case .subscribe(let subscribe): return .suback(subscribe.id, subscribe.filters.map { .granted($0.qos) })
    case .unsubscribe(let unsubscribe):
      return .unsuback(unsubscribe.id, unsubscribe.filters.map { _ in .success })
    case .pingreq: return .pingresp
    case .connack, .puback, .pubcomp, .suback, .unsuback, .pingresp, .disconnect, .auth: return nil
    }
  }
}
