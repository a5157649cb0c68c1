import Brokers
import Foundation
import Peers
import Testing

/// Runs `program` of `PATH` with its output and errors in a pipe.
func start(_ program: String, _ arguments: [String]) throws -> Process {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [program] + arguments
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = Pipe()
  process.standardError = FileHandle.nullDevice
  try process.run()
  return process
}

/// Waits for `process` to end; its exit status.
func status(of process: Process) async throws -> Int32 {
  try await eventually { !process.isRunning }
  return process.terminationStatus
}

func arguments(_ broker: LocalBroker, _ more: [String]) -> [String] {
  ["-h", "127.0.0.1", "-p", "\(broker.port)"] + more
}

/// The exit status of `mosquitto_pub`.
func publish(_ broker: LocalBroker, _ more: [String]) async throws -> Int32 {
  try await status(of: start("mosquitto_pub", arguments(broker, more)))
}

/// What `mosquitto_sub` prints of the first message.
func receive(_ broker: LocalBroker, _ more: [String]) async throws -> String {
  let process = try start("mosquitto_sub", arguments(broker, ["-C", "1"] + more))
  _ = try await status(of: process)
  let output = try #require(process.standardOutput as? Pipe).fileHandleForReading
  return String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
}

/// Whether a process with this id exists.
func exists(_ pid: pid_t) -> Bool {
  kill(pid, 0) == 0 || errno == EPERM
}

func temporaryPath() -> String {
  FileManager.default.temporaryDirectory.appendingPathComponent("signalbox-\(UUID().uuidString)").path
}
