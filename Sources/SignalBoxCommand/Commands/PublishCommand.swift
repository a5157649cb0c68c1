import SignalBox

/// `signalbox publish`: values out.
enum PublishCommand: Command {
  static let name = "publish"
  static let summary = "publishes a value, or one for each line of standard input"
  static let operands = "TOPIC VALUE|-"
  static let examples = [
    (line: "signalbox publish heating/setpoint 21.5", purpose: "returns when the broker has it"),
    (line: "signalbox publish -r heating/mode eco", purpose: "the broker keeps it for later subscribers"),
    (line: "tail -f app.log | signalbox publish logs/app -", purpose: "a message for each line"),
  ]
  static let flags = [Flag("retain", "r", help: "the broker keeps the value")] + ConnectionFlags.flags

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let flags = try ConnectionFlags(arguments)
    let (topic, value) = try topicAndValue(arguments, flags)
    let retain = arguments.has("retain")
    let qos = flags.qos ?? .atLeastOnce
    try await withConnectedBus(flags) { bus in
      if value == "-" {
        while let line = readLine(strippingNewline: true) {
          try await bus.publish(Publish(topic, line, qos: qos, retain: retain))
        }
      } else {
        try await bus.publish(Publish(topic, value, qos: qos, retain: retain))
      }
    }
    return ExitCode.success
  }

  /// The topic may stand in the url instead, as with mosquitto_pub's `-L`.
  static func topicAndValue(_ arguments: Arguments, _ flags: ConnectionFlags) throws -> (Topic, String) {
    let operands = (flags.topic.map { [$0] } ?? []) + arguments.operands
    guard operands.count == 2 else { throw UsageError("give one TOPIC and one VALUE, or - for standard input") }
    do { return (try Topic(operands[0]), operands[1]) } catch { throw UsageError("\(error)") }
  }
}
