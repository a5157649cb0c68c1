import Foundation
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
      if value == Array("-".utf8) {
        let input = fdopen(STDIN_FILENO, "r")
        while let line = readLine(of: input) {
          try await bus.publish(Publish(topic, line, qos: qos, retain: retain))
        }
      } else {
        try await bus.publish(Publish(topic, value, qos: qos, retain: retain))
      }
    }
    return ExitCode.success
  }

  /// The topic may stand in the url instead, as with mosquitto_pub's `-L`.
  static func topicAndValue(_ arguments: Arguments, _ flags: ConnectionFlags) throws -> (Topic, [UInt8]) {
    let operands = arguments.rawOperands
    guard operands.count == (flags.topic == nil ? 2 : 1), let value = operands.last else {
      throw UsageError("give one TOPIC and one VALUE, or - for standard input")
    }
    let name = try flags.topic ?? text(operands[0], "the topic")
    do {
      return (try Topic(name), Array(UnsafeRawBufferPointer(start: value, count: strlen(value))))
    } catch {
      throw UsageError("\(error)")
    }
  }
}

/// The next line, whatever its bytes, without its line end; `nil` after the last.
private func readLine(of input: UnsafeMutablePointer<FILE>?) -> [UInt8]? {
  guard let input else { return nil }
  var line: UnsafeMutablePointer<CChar>?
  var capacity = 0
  defer { free(line) }
  let count = getline(&line, &capacity, input)
  guard count > 0 else { return nil }
  var bytes = UnsafeRawBufferPointer(start: line, count: count)[...]
  if bytes.last == newline { bytes.removeLast() }
  if bytes.count < count, bytes.last == carriageReturn { bytes.removeLast() }
  return Array(bytes)
}
