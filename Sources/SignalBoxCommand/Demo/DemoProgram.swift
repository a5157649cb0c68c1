import Foundation

/// A program that the demo runs, with its standard output a line at a time.
final class DemoProgram: @unchecked Sendable {
  // Sound: `Process` is set up before it is shared, and afterwards only asked and ended.
  private let process = Process()
  /// What it prints; ends when it does.
  let lines: AsyncStream<String>

  init(_ program: String, _ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    let (lines, arrivals) = AsyncStream.makeStream(of: String.self)
    self.lines = lines
    let splitter = LineSplitter()
    output.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      for line in splitter.split(data) { arrivals.yield(line) }
      if data.isEmpty {
        handle.readabilityHandler = nil
        arrivals.finish()
      }
    }
    try process.run()
  }

  deinit { end() }

  /// Its exit status, once it has ended.
  var status: Int32 {
    get async {
      await withCheckedContinuation { done in
        Thread.detachNewThread { [process] in
          process.waitUntilExit()
          done.resume(returning: process.terminationStatus)
        }
      }
    }
  }

  func end() { if process.isRunning { process.terminate() } }
}

/// Cuts what arrives in pieces into lines. Called by one reader.
private final class LineSplitter: @unchecked Sendable {
  // Sound: the handler of one descriptor runs one call at a time.
  private var rest = Data()

  func split(_ data: Data) -> [String] {
    rest += data
    var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    rest = data.isEmpty ? Data() : Data(lines.removeLast())
    return lines.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
  }
}
