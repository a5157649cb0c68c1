import Brokers
import Foundation
import MQTT
import Peers

/// `mosquitto_sub` or `mosquitto_pub` at an ``InteropBroker``, which has no log to wait for.
final class ForeignClient: Sendable {
  private let program: ChildProgram
  private let output = Guarded<[UInt8]>([])
  private let folder: URL

  /// Starts `mosquitto_sub` for `filter`, with a line for each message, and returns when the broker has it.
  ///
  /// Only a message that comes shows that a subscription holds, so the filter has to cover `probe`.
  static func subscribe(
    _ broker: InteropBroker, _ filter: String, probe: String, format: String = "%t %p",
    _ arguments: [String] = []
  ) async throws -> ForeignClient {
    let client = try ForeignClient(
      broker, ["mosquitto_sub", "-t", filter, "-F", format] + arguments)
    try await withConnection(broker.options) { connection, _ in
      try await eventually("mosquitto_sub gets nothing") {
        try await connection.publish(Publish(Topic(probe), "probe"))
        return client.lines.contains { $0.contains("probe") }
      }
    }
    return client
  }

  /// Runs `mosquitto_pub`, which publishes each line of `input`, and returns when it is done.
  static func publish(_ broker: InteropBroker, _ arguments: [String], input: String) async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("input-\(UUID().uuidString)")
    try input.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let client = try ForeignClient(
      broker,
      ["sh", "-c", "file=$1; shift; exec \"$@\" <\"$file\"", "sh", file.path, "mosquitto_pub"], arguments)
    guard await client.program.status == 0 else { throw Failure(lines: client.lines) }
  }

  struct Failure: Error {
    var lines: [String]
  }

  private init(_ broker: InteropBroker, _ command: [String], _ arguments: [String] = []) throws {
    let options = broker.options
    // The clients read a file of arguments, one a line: a password on the command line is everybody's to read.
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("login-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var login: [String] = []
    if let user = options.user { login.append("-u \(user)") }
    if let password = options.password { login.append("-P \(password)") }
    for name in ["mosquitto_sub", "mosquitto_pub"] {
      let file = folder.appendingPathComponent(name)
      try login.map { $0 + "\n" }.joined().write(to: file, atomically: true, encoding: .utf8)
    }
    let common = [
      "-h", "127.0.0.1", "-p", "\(broker.port)", "-V", broker.version == .v5 ? "mqttv5" : "mqttv311", "-q",
      "1",
    ]
    program = try ChildProgram(["XDG_CONFIG_HOME=\(folder.path)"] + command + common + arguments) {
      [output] bytes in output.withLock { $0 += bytes }
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// What it has printed until now, a line each.
  var lines: [String] {
    String(decoding: output.withLock { $0 }, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
