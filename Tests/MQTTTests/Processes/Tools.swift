import Brokers
import Foundation

/// Whether a command is here and may do what it does: in a container it may be refused.
func works(_ command: String...) -> Bool {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = command
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = FileHandle.nullDevice
  process.standardError = FileHandle.nullDevice
  guard (try? process.run()) != nil else { return false }
  process.waitUntilExit()
  return process.terminationStatus == 0
}

/// What tests of processes need beside mosquitto.
enum Tools {
  /// Needs root. What it makes ends with the command.
  static let networks = works(
    "unshare", "--net", "ip", "link", "add", "here", "type", "veth", "peer", "name", "there")
  static let strace = works("strace", "-f", "-c", "-o", "/dev/null", "true")
}
