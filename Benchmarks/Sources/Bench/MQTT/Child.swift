import Foundation

/// A process whose lines are read; it ends when its input does.
final class Child {
  struct Silent: Error, CustomStringConvertible {
    var program: String
    var description: String { "\(program) said nothing: it has failed" }
  }

  static let own = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
  static let baseline = own.deletingLastPathComponent().appendingPathComponent("signalbox-bench-baseline")

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let name: String

  init(_ program: URL, _ arguments: [String]) throws {
    name = program.lastPathComponent
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// The next line.
  func line() throws -> String {
    var bytes = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
      if byte.first == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes += byte
    }
    throw Silent(program: name)
  }

  /// What it says when its input ends.
  func lastLine() throws -> String {
    try? input.fileHandleForWriting.close()
    return try line()
  }

  /// Waits for it; it has nothing left to do.
  func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
