import Brokers
import CCommand
import Foundation
import Peers
import Testing

/// A folder and a broker for one test, with the built `signalbox` at hand as `$SB` of its scripts.
///
/// `$RUN` is `signalbox run` for the scripts that are also run without it.
final class Workspace {
  let folder: URL
  let broker: LocalBroker

  init() async throws {
    broker = try await LocalBroker.start()
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("signalbox-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// Starts `script` by /bin/sh in the folder, its standard streams in the given files or handles.
  func start(
    _ script: String, withRun: Bool = true, input: FileHandle = .nullDevice, output: FileHandle? = nil,
    errors: FileHandle? = nil
  ) throws -> Child {
    var environment = ProcessInfo.processInfo.environment
    environment["SIGNALBOX_URL"] = broker.url
    environment["PORT"] = "\(broker.port)"
    environment["SB"] = signalbox.path
    environment["RUN"] = withRun ? "\(signalbox.path) run --job test/job --" : ""
    return try Child(
      script, in: folder, environment: environment, input: input, output: output ?? .nullDevice,
      errors: errors ?? .nullDevice)
  }

  /// Runs `script`; its status and what it wrote to each stream.
  func run(_ script: String, withRun: Bool = true) async throws -> Outcome {
    let names = [UUID().uuidString, UUID().uuidString]
    let process = try start(
      script, withRun: withRun, output: try create(names[0]), errors: try create(names[1]))
    let status = try await process.end()
    return Outcome(status: status, output: try read(names[0]), errors: try read(names[1]))
  }

  func create(_ name: String, _ content: Data = Data()) throws -> FileHandle {
    let url = folder.appendingPathComponent(name)
    try content.write(to: url)
    return try FileHandle(forUpdating: url)
  }

  func read(_ name: String) throws -> Data {
    try Data(contentsOf: folder.appendingPathComponent(name))
  }

  func text(_ name: String) -> String {
    ((try? read(name)).map { String(decoding: $0, as: UTF8.self) } ?? "")
  }

  func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path)
  }
}

struct Outcome: Equatable {
  /// As a shell counts: 128 + n for signal n.
  var status: Int32
  var output: Data
  var errors: Data

  var text: String { String(decoding: output, as: UTF8.self) }
  var errorText: String { String(decoding: errors, as: UTF8.self) }
}

let signalbox = builtProgram("signalbox")

/// Whether a process with this id exists and is no zombie.
func isAlive(_ pid: pid_t) -> Bool {
  kill(pid, 0) == 0
}

/// A terminal for a process under test; the test is its screen and its keyboard.
final class Terminal {
  let screen: FileHandle
  let line: FileHandle
  private(set) var shown = Data()

  init() throws {
    var (master, slave): (Int32, Int32) = (-1, -1)
    try #require(signalbox_terminal(-1, &master, &slave) == 0)
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
    screen = FileHandle(fileDescriptor: master, closeOnDealloc: true)
    line = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
  }

  func resize(rows: UInt16, columns: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(screen.fileDescriptor, UInt(TIOCSWINSZ), &size)
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(screen.fileDescriptor, bytes, bytes.count)
  }

  /// Everything shown until now, with the line ends that the terminal made.
  var text: String {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = Foundation.read(screen.fileDescriptor, &buffer, buffer.count), count > 0 {
      shown += buffer[..<count]
    }
    return String(decoding: shown, as: UTF8.self)
  }
}
