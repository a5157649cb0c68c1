import Signals
import Foundation
import MQTT

/// The arguments: a scenario, the broker's URL and `name=value` for what differs from the default.
struct Settings {
  let scenario: String
  private let url: String
  private let values: [String: String]

  init(_ arguments: [String]) {
    guard arguments.count >= 2 else { fail("usage: ConnectionProbe SCENARIO URL [NAME=VALUE …]") }
    scenario = arguments[0]
    url = arguments[1]
    var values: [String: String] = [:]
    for argument in arguments.dropFirst(2) {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { fail("\(argument) is not NAME=VALUE") }
      values[String(parts[0])] = String(parts[1])
    }
    self.values = values
  }

  func text(_ name: String) -> String? { values[name] }

  func number(_ name: String, default value: Int) -> Int {
    values[name].map { text in Int(text) ?? { fail("\(name) is not a number: \(text)") }() } ?? value
  }

  func options() throws -> ConnectionOptions {
    var options = try ConnectionOptions(url: url)
    if let id = text("client") { options.clientID = id }
    options.version = text("version") == "3.1.1" ? .v311 : .v5
    options.keepAlive = .seconds(number("keepAlive", default: 60))
    options.sessionExpiry = .seconds(number("session", default: 0))
    options.cleanStart = text("session") == nil
    let delay = Duration.milliseconds(number("backoff", default: 20))
    options.backoff = .init(initial: delay, maximum: delay)
    options.connectDeadline = .seconds(number("connectDeadline", default: 60))
    options.inboxLimits.count = number("inbox", default: 10_000)
    if let user = text("user") { options.user = user }
    // An argument would be seen by everybody's `ps`.
    if let file = text("passwordFile") {
      options.password = try String(contentsOfFile: file, encoding: .utf8)
    }
    if text("log") == "debug" {
      options.logLevel = .debug
      options.log = { level, line in tell("log", "\(level) \(line)") }
    }
    return options
  }
}
