import Brokers
import Foundation
import Peers
import Testing

/// A run of `ConnectionProbe`, a connection in a process of its own, with the facts that it has told until now.
final class Probe: Sendable {
  struct Ended: Error, CustomStringConvertible {
    let description: String
  }

  fileprivate struct Facts {
    var values: [String: [String]] = [:]
    var output = ""
    var rest: [UInt8] = []
    var hasEnded = false
  }

  private let program: ChildProgram
  private let facts = Guarded(Facts())
  private let pipe: NamedPipe?

  /// Starts a scenario against the broker at `url`; `tool` is what it runs under, such as strace.
  init(_ scenario: String, _ url: String, _ settings: [String] = [], under tool: [String] = []) throws {
    pipe = scenario == "client" ? try NamedPipe() : nil
    let pipes = pipe.map { ["commands=\($0.path)"] } ?? []
    let command = tool + [builtProgram("ConnectionProbe").path, scenario, url] + pipes + settings
    program = try ChildProgram(command) { [facts] bytes in
      facts.withLock { $0.take(bytes) }
    }
  }

  /// What it has printed.
  var output: String { facts.withLock { $0.output } }

  /// The values of a fact, in the order in which they were told.
  func values(_ name: String) -> [String] { facts.withLock { $0.values[name] ?? [] } }

  /// The latest value of a fact, as a number.
  func number(_ name: String) throws -> Int {
    guard let text = values(name).last, let number = Int(text) else {
      throw Ended(description: "no number was told for \(name): \(output.suffix(500))")
    }
    return number
  }

  /// Waits until a fact was told `count` times, and gives that value. Throws when the program ends without it.
  @discardableResult
  func fact(_ name: String, count: Int = 1) async throws -> String {
    try await eventually("\(name) was not told") {
      let (values, hasEnded, output) = facts.withLock { ($0.values[name] ?? [], $0.hasEnded, $0.output) }
      if hasEnded, values.count < count {
        throw Ended(description: "it ended before it told \(name): \(output.suffix(500))")
      }
      return values.count >= count
    }
    return values(name)[count - 1]
  }

  /// Asks a client for something: a line of `Client.swift`.
  func command(_ line: String) throws {
    try pipe?.write([line])
  }

  /// Has a client tell its numbers, and waits for them.
  func report() async throws {
    let count = values("reported").count
    try command("report")
    try await fact("reported", count: count + 1)
  }

  /// Sends it a signal.
  func signal(_ number: Int32) async throws {
    // The program that it runs under would get it otherwise.
    kill(try #require(Int32(try await fact("pid"))), number)
  }

  /// The exit status, once it has ended.
  var status: Int32 {
    get async { await program.status }
  }
}

extension Probe.Facts {
  mutating func take(_ bytes: [UInt8]) {
    hasEnded = hasEnded || bytes.isEmpty
    output += String(decoding: bytes, as: UTF8.self)
    rest += bytes
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      rest.removeFirst(end + 1)
      guard let space = line.firstIndex(of: " ") else { continue }
      values[String(line[..<space]), default: []].append(String(line[line.index(after: space)...]))
    }
  }
}

/// Whether the system shows its processes as Linux does, in /proc.
let hasProcessFiles = FileManager.default.fileExists(atPath: "/proc/self/task")
