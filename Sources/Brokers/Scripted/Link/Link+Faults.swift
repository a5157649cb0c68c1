extension ScriptedBroker.Link {
  /// Ends the connection after all that was sent. Takes a second with a client that does not close its side too.
  public func close() throws {
    begin("closing")
    try openSocket().close()
    socket = nil
  }

  /// Ends the connection with a reset (RST), which may overtake what was sent last.
  public func reset() throws {
    begin("resetting")
    try openSocket().reset()
    socket = nil
  }

  /// Says nothing more, not even to pings, and returns when the client has gone.
  ///
  /// - Parameter reading: whether what comes is read and recorded; without it, the client can't write for long.
  public func silence(reading: Bool = true) throws {
    begin("the silence")
    let answered = answersPings
    answersPings = false
    defer { answersPings = answered }
    while reading {
      if case .end = try nextInput(until: nil, wanted: { "anything" }) { return }
    }
    if try openSocket().waitForEnd(until: nil) == .stopped { throw ScriptedBrokerError.stopped }
  }

  /// Does nothing for a time, and reads nothing.
  public func pause(for duration: Duration) throws {
    begin("a pause of \(duration)")
    if core.stop.wait(until: .now + duration) { throw ScriptedBrokerError.stopped }
  }

  /// Does nothing until a condition holds, and reads nothing; a failure says what was waited for.
  ///
  /// ```swift
  /// try link.wait(for: "the handler to be busy") { isBusy.load(ordering: .acquiring) }
  /// ```
  public func wait(for what: String, until condition: () throws -> Bool) throws {
    begin("waiting for \(what)")
    let deadline = deadline
    while try !condition() {
      guard ContinuousClock.now < deadline else {
        throw failure("waited for \(what) for \(patience), in vain")
      }
      if core.stop.wait(until: .now + .milliseconds(1)) { throw ScriptedBrokerError.stopped }
    }
  }
}
