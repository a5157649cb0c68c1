import Foundation

/// A pipe that a program opens by its path; the program finds its end when this is closed or gone.
final class NamedPipe: Sendable {
  struct Failure: Error {}

  let path: String
  private let file: FileHandle

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("pipe-\(UUID().uuidString)").path
    guard mkfifo(path, 0o600) == 0 else { throw Failure() }
    // Readable too: so it opens at once, and holds what is written before the program reads.
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure() }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  deinit { unlink(path) }

  /// Writes lines; waits while the pipe is full.
  func write(_ lines: [String]) throws {
    try file.write(contentsOf: Data(lines.map { "\($0)\n" }.joined().utf8))
  }

  func close() throws { try file.close() }
}
