import Brokers
import Foundation
import Peers

/// Two network namespaces, each with one end of a cable, which can be pulled.
///
/// They have no name: the system removes them, with the cable, when the two programs that hold them end. Those end with
/// this object, and by themselves after a few minutes when this process was killed.
final class Cable: Sendable {
  struct Failure: Error {
    let command: [String]
  }

  /// The address of the far end.
  static let address = "10.231.77.2"
  private static let life = "240"

  private let holders: [ChildProgram]

  init() async throws {
    holders = try (0..<2).map { _ in try ChildProgram(["unshare", "--net", "sleep", Self.life]) { _ in } }
    let ours = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")
    for holder in holders {
      try await eventually("no network namespace") {
        let name = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(holder.pid)/ns/net")
        return name != ours
      }
    }
    try await near("ip link add near type veth peer name far netns \(holders[1].pid)")
    try await near("ip address add 10.231.77.1/30 dev near")
    try await near("ip link set near up")
    try await far("ip address add \(Self.address)/30 dev far")
    try await far("ip link set far up")
  }

  /// What a command runs under to be at the near end.
  var nearTool: [String] { tool(0) }
  /// What a command runs under to be at the far end.
  var farTool: [String] { ["timeout", Self.life] + tool(1) }

  /// Pulls the cable out of the far end: the near one hears nothing more, and no error either.
  func pull() async throws { try await far("ip link set far down") }

  /// Puts it back.
  func plug() async throws { try await far("ip link set far up") }

  private func near(_ command: String) async throws { try await run(tool(0), command) }
  private func far(_ command: String) async throws { try await run(tool(1), command) }

  private func run(_ tool: [String], _ command: String) async throws {
    let all = tool + command.split(separator: " ").map(String.init)
    guard await (try ChildProgram(all) { _ in }).status == 0 else { throw Failure(command: all) }
  }

  private func tool(_ end: Int) -> [String] { ["nsenter", "--net=/proc/\(holders[end].pid)/ns/net", "--"] }
}
