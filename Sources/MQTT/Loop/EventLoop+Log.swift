/// What the log hook is told.
extension EventLoop {
  /// Hands on what the library said.
  func takeLines() {
    guard let handle, !handle.lines.isEmpty else { return }
    let hasRoom = mailbox.reports.room() != nil
    for line in handle.lines { note(.debug, line, hasRoom: hasRoom) }
    handle.lines.removeAll(keepingCapacity: true)
  }

  /// Has the hook called with a line. While it is so slow, or another completion, that calls pile up, lines are left
  /// out and counted: what comes would otherwise fill the memory, whatever the bounds of inbox and outbox.
  func note(_ level: LogLevel, _ line: @autoclosure () -> String) {
    guard log.wants(level) else { return }
    note(level, line(), hasRoom: mailbox.reports.room() != nil)
  }

  /// Tells of lines that were left out, once there is room again.
  func noteGap() {
    guard linesLeftOut > 0, mailbox.reports.room() != nil else { return }
    let line = "left out \(linesLeftOut) lines here: the log or a completion is too slow"
    linesLeftOut = 0
    log(.warning, line) { reports.append($0) }
  }

  private func note(_ level: LogLevel, _ line: String, hasRoom: Bool) {
    guard hasRoom else { return linesLeftOut += 1 }
    noteGap()
    log(level, line) { reports.append($0) }
  }
}
