public import Brokers
import Foundation

/// The foreign side of the tests: `mosquitto_sub` and `mosquitto_pub` as people use them.
public final class Peer: @unchecked Sendable {
  // Sound: `Process` is only waited for and signalled; the lines are under their lock.
  private let process = Process()
  private let output = Pipe()
  private let lock = NSLock()
  private var received: [UInt8] = []

  /// Starts `mosquitto_sub` and returns when the broker has its subscription.
  public static func subscribe(_ broker: LocalBroker, _ arguments: String...) async throws -> Peer {
    let mark = broker.log.count
    let peer = try Peer("mosquitto_sub", broker, arguments)
    try await broker.waitForLog("Sending SUBACK", after: mark)
    return peer
  }

  /// Runs `mosquitto_pub` and returns when it has published.
  public static func publish(_ broker: LocalBroker, _ arguments: String...) async throws {
    let peer = try Peer("mosquitto_pub", broker, arguments)
    guard await peer.status() == 0 else { throw PeerFailure(program: "mosquitto_pub", arguments: arguments) }
  }

  private init(_ program: String, _ broker: LocalBroker, _ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program, "-h", "127.0.0.1", "-p", "\(broker.port)"] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    output.fileHandleForReading.readabilityHandler = { [weak self] handle in
      let data = handle.availableData
      self?.lock.withLock { self?.received += data }
      if data.isEmpty { handle.readabilityHandler = nil }
    }
    try process.run()
  }

  deinit {
    output.fileHandleForReading.readabilityHandler = nil
    if process.isRunning { process.terminate() }
  }

  /// The process id.
  public var pid: Int32 { process.processIdentifier }

  /// Ends it without a goodbye to the broker.
  public func kill() {
    _ = Foundation.kill(process.processIdentifier, SIGKILL)
  }

  /// What it has printed until now, a line each.
  public var lines: [String] {
    lock.withLock { String(decoding: received, as: UTF8.self) }.split(separator: "\n").map(String.init)
  }

  /// Its exit status, when it has one.
  public func status() async -> Int32 {
    await withCheckedContinuation { done in
      DispatchQueue.global().async { [process] in
        process.waitUntilExit()
        done.resume(returning: process.terminationStatus)
      }
    }
  }

  /// Waits until the lines fulfil a condition; the deadline only ends a test that would fail anyway.
  @discardableResult
  public func lines(where condition: ([String]) -> Bool) async throws -> [String] {
    try await eventually { condition(lines) }
    return lines
  }
}

/// A program that did not do what a test needs.
public struct PeerFailure: Error {
  let program: String
  let arguments: [String]
}

/// A condition that did not come true in a minute.
public struct NeverTrue: Error {}

/// Waits until `condition` holds; the deadline only ends a test that would fail anyway.
public func eventually(_ condition: () async throws -> Bool) async throws {
  let deadline = ContinuousClock.now + .seconds(60)
  while try await !condition() {
    guard ContinuousClock.now < deadline else { throw NeverTrue() }
    try await Task.sleep(for: .milliseconds(5))
  }
}
