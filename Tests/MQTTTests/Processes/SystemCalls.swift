import Brokers
import Foundation
import Peers

/// The system calls of a process, as strace counts them.
struct SystemCalls: CustomStringConvertible {
  let counts: [String: Int]
  /// The table as strace printed it.
  let description: String

  var total: Int { counts.values.reduce(0, +) }

  subscript(_ names: String...) -> Int { names.reduce(0) { $0 + (counts[$1] ?? 0) } }

  /// Reads the table of `strace -c`: the calls are in the fourth column, the name is in the last.
  init(table: String) {
    var counts: [String: Int] = [:]
    for line in table.split(separator: "\n") {
      let columns = line.split(separator: " ")
      guard columns.count >= 5, Double(columns[0]) != nil, let calls = Int(columns[3]) else { continue }
      if let name = columns.last, name != "total" { counts[String(name)] = calls }
    }
    self.counts = counts
    description = table
  }

  /// Counts the calls of all threads of process `pid` for as long as `body` runs.
  static func during(of pid: Int32, _ body: () async throws -> Void) async throws -> SystemCalls {
    let file = temporaryFile()
    defer { try? FileManager.default.removeItem(atPath: file) }
    let tracer = try ChildProgram(["strace", "-f", "-c", "-o", file, "-p", "\(pid)"]) { _ in }
    try await eventually("strace did not attach") { try isTraced(pid) }
    try await body()
    tracer.signal(SIGINT)
    _ = await tracer.status
    return try SystemCalls(table: String(contentsOfFile: file, encoding: .utf8))
  }

  /// Whether all threads of a process are traced.
  private static func isTraced(_ pid: Int32) throws -> Bool {
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")
    return try threads.allSatisfy { thread in
      let status = try String(contentsOfFile: "/proc/\(pid)/task/\(thread)/status", encoding: .utf8)
      return !status.contains("TracerPid:\t0\n")
    }
  }

  static func temporaryFile() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent("strace-\(UUID().uuidString)").path
  }
}
