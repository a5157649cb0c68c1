import Brokers

/// A program that the demo runs, with its standard output a line at a time.
struct DemoProgram {
  let program: ChildProgram
  /// What it prints; ends when it does.
  let lines: AsyncStream<String>

  init(_ command: [String]) throws {
    let (lines, arrivals) = AsyncStream.makeStream(of: String.self)
    self.lines = lines
    let splitter = LineSplitter()
    program = try ChildProgram(command) { bytes in
      for line in splitter.split(bytes) { arrivals.yield(line) }
      if bytes.isEmpty { arrivals.finish() }
    }
  }
}

/// Cuts what arrives in pieces into lines.
private final class LineSplitter: @unchecked Sendable {
  // Sound: only the one thread that reads a program's output calls it.
  private var rest: [UInt8] = []

  /// The lines that are whole; an empty piece is the end.
  func split(_ bytes: [UInt8]) -> [String] {
    rest += bytes
    var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    rest = bytes.isEmpty ? [] : Array(lines.removeLast())
    return lines.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
  }
}
