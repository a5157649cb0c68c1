/// What makes the broker end link after link: see ``PoisonDetector``.
extension EventLoop {
  /// Looks for a message to blame for the end of a link, ends the guilty one, and gives what to call that end.
  func judge(_ cause: ConnectionError) -> ConnectionError {
    guard session != nil else { return cause }
    switch poison.linkEnded(cause, flying: window.numbers, at: .now) {
    case .innocent:
      return cause
    case .suspected(let number, let links):
      guard case .linkLost = cause, let topic = window.topic(of: number) else { return cause }
      // Not what looks like another client with the same id.
      return .linkLost(
        "the broker closed it \(links) times in a row with the message on \"\(topic)\" unacknowledged; "
          + "it is sent alone next")
    case .guilty(let number, let reason):
      guard let entry = window.remove(number: number) else { return cause }
      let error = ConnectionError.poison(entry.publish.topic, reason)
      report(entry.token, .failed(error))
      note(.warning, "\(error)")
      return error
    }
  }

  /// The options of the next link. In a trial the library sends what it resumes one by one, at least at first; it keeps
  /// to that on the whole link, which only costs time.
  var linkOptions: ConnectionOptions {
    var options = options.with(machine.credentials)
    if poison.isTrying, !window.isEmpty { options.window = 1 }
    return options
  }

  /// Carries out what came, and what had to wait for the end of a trial.
  func carryOut(_ commands: [Command]) {
    if !held.isEmpty, !poison.isTrying {
      let due = held
      held = []
      due.forEach(carryOut)
    }
    commands.forEach(carryOut)
  }

  /// Ends what waits for the end of a trial, because the link is gone.
  func failHeld(_ error: ConnectionError) {
    let answers = held.compactMap(\.answer)
    held = []
    for answer in answers { conclude(Command.Ending(answer: answer, result: .failure(error))) }
  }
}
