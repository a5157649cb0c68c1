import SignalBox

/// `signalbox report`: progress from a script.
enum ReportCommand: Command {
  static let name = "report"
  static let summary = "publishes how far a job is"
  static let operands = "TOPIC [VALUE|-]"
  static let examples = [
    (line: "signalbox report jobs/index 42", purpose: "42 %; also 42%, 3/10, '3/10 files' and ?"),
    (line: "signalbox report jobs/index --done 3 --total 10 --unit files", purpose: "a count, spelled out"),
    (
      line: "./work | signalbox report jobs/index -",
      purpose: "a value on each line, at most four a second sent"
    ),
  ]
  static let flags =
    [
      Flag("done", nil, "N", help: "how much is done"),
      Flag("total", nil, "N", help: "how much there is to do"),
      Flag("fraction", nil, "X", help: "the part that is done, 0 to 1"),
      Flag("unit", nil, "TEXT", help: "what is counted, such as files"),
      Flag("message", "m", "TEXT", help: "what is being done, in one line"),
    ] + ConnectionFlags.flags

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let flags = try ConnectionFlags(arguments)
    var operands = (flags.topic.map { [$0] } ?? []) + (try arguments.operands)
    guard !operands.isEmpty else { throw UsageError("give the job's TOPIC") }
    let topic = operands.removeFirst()
    guard operands.count <= 1 else { throw UsageError("\(operands[1]): one value is enough") }
    if operands == ["-"] {
      guard !(amounts + descriptions).contains(where: arguments.has) else {
        throw UsageError("- takes everything from standard input: leave out --done, --message and their like")
      }
      return try await reportLines(topic, flags)
    }
    let update = try update(arguments, operands.first)
    let message = try progressTopic(topic)
    try await withConnectedBus(flags) { bus in
      let payload = try ProgressMessage(update).payload()
      try await bus.publish(Publish(message, payload, qos: flags.qos ?? .atLeastOnce, retain: true))
    }
    return ExitCode.success
  }

  private static let amounts = ["done", "total", "fraction"]
  private static let descriptions = ["unit", "message"]

  private static func progressTopic(_ topic: String) throws(UsageError) -> Topic {
    do { return try JobTopic(topic).progress } catch { throw UsageError("\(error)") }
  }

  private static func update(_ arguments: Arguments, _ value: String?) throws(UsageError) -> ProgressUpdate {
    guard value == nil || !amounts.contains(where: arguments.has) else {
      throw UsageError("give either a VALUE or --done, --total and --fraction")
    }
    guard value != nil || ["done", "fraction", "message"].contains(where: arguments.has) else {
      throw UsageError("give a VALUE such as 42% or 3/10, or --done, --fraction or --message")
    }
    var update: ProgressUpdate
    do {
      update = try value.map { try ProgressUpdate(shortText: $0) } ?? ProgressUpdate()
    } catch {
      throw UsageError("\(error)")
    }
    if let done = try arguments.number("done") { update.done = done }
    if let total = try arguments.number("total") { update.total = total }
    if let fraction = try arguments.number("fraction") {
      guard fraction <= 1 else {
        throw UsageError("--fraction \(fraction): not from 0 to 1; percents go as VALUE")
      }
      update.fraction = fraction
    }
    update.unit = arguments["unit"] ?? update.unit
    update.message = arguments["message"]
    return update
  }

  /// The lines go through a subject, which thins them out and always sends the last.
  private static func reportLines(_ topic: String, _ flags: ConnectionFlags) async throws -> Int32 {
    _ = try progressTopic(topic)
    return try await withConnectedBus(flags) { bus in
      let subject = try bus.subject(to: topic, as: String.self)
      var code = ExitCode.success
      while let line = readLine() {
        do {
          subject.send(progress: try ProgressUpdate(shortText: line))
        } catch {
          diagnose("report: \(error)")
          code = ExitCode.failure
        }
      }
      subject.complete()
      return code
    }
  }
}

extension Arguments {
  /// The argument of the option `name` as a number from 0 on.
  fileprivate func number(_ name: String) throws(UsageError) -> Double? {
    guard let text = self[name] else { return nil }
    guard let number = try? Double(payload: Array(text.utf8)), number >= 0 else {
      throw UsageError("--\(name) \(text): not a number from 0 on")
    }
    return number
  }
}
