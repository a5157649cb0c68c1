extension ScriptedBroker.Link {
  /// The next bytes, whatever they mean: of a client that speaks no MQTT here, or not yet. They are not recorded.
  public func expectBytes(_ count: Int) throws -> [UInt8] {
    begin("waiting for \(count) bytes")
    let deadline = deadline
    while true {
      if let bytes = decoder.frames.take(count) { return bytes }
      if let ending { throw failure("expected \(count) bytes, the client \(ending)") }
      switch try fill(until: deadline) {
      case .bytes, .ended, .broken: continue
      case .stopped: throw ScriptedBrokerError.stopped
      case .timedOut: throw failure("expected \(count) bytes, nothing came within \(patience)")
      }
    }
  }
}
