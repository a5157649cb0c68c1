import Brokers
import Foundation

/// `signalbox broker`: a private mosquitto until Ctrl-C.
enum BrokerCommand: Command {
  static let name = "broker"
  static let summary = "runs a private MQTT broker on this machine until Ctrl-C"
  static let examples = [
    (line: "signalbox broker", purpose: "at a free port; prints the url to use"),
    (line: "signalbox broker --port 1883 --keep ~/broker", purpose: "remembers retained messages"),
  ]
  static let flags = [
    Flag("port", "p", "PORT", help: "the port, at 127.0.0.1 only (a free one)"),
    Flag("keep", nil, "FOLDER", help: "store retained messages and sessions in FOLDER"),
  ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    if let extra = try arguments.operands.first { throw UsageError("\(extra): takes no operands") }
    var options = LocalBroker.Options()
    options.port = try arguments.number("port", in: 1...65535)
    if let folder = arguments["keep"] {
      guard !folder.isEmpty else { throw UsageError("--keep: the FOLDER is empty") }
      options.storage = .folder(folder)
    }

    let signals = await endSignals()
    let broker = try await LocalBroker.start(options)
    _ = try Output.write("\(broker.url)\n")
    let isSignaled = await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await _ in signals { return true }
        return false
      }
      group.addTask {
        while await broker.pid != nil, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(200)) }
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
    await broker.stop()
    if isSignaled { return ExitCode.success }
    diagnose("the broker ended by itself: \(broker.log.last ?? "it said nothing")")
    return ExitCode.failure
  }
}
