public import Brokers
import Foundation

/// The foreign side of the tests: `mosquitto_sub` and `mosquitto_pub` as people use them.
public final class Peer: Sendable {
  private let program: ChildProgram
  private let output = Guarded<[UInt8]>([])

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
    guard await peer.program.status == 0 else {
      throw PeerFailure(program: "mosquitto_pub", arguments: arguments)
    }
  }

  /// Runs `mosquitto_rr`, which asks a question, and returns the answer.
  public static func request(_ broker: LocalBroker, _ arguments: String...) async throws -> [String] {
    let peer = try Peer("mosquitto_rr", broker, arguments)
    guard await peer.program.status == 0 else {
      throw PeerFailure(program: "mosquitto_rr", arguments: arguments)
    }
    return peer.lines
  }

  private init(_ program: String, _ broker: LocalBroker, _ arguments: [String]) throws {
    let command = [program, "-h", "127.0.0.1", "-p", "\(broker.port)"] + arguments
    self.program = try ChildProgram(command) { [output] bytes in
      output.withLock { $0 += bytes }
    }
  }

  /// Ends it without a goodbye to the broker.
  public func kill() { program.signal(SIGKILL) }

  /// What it has printed until now, a line each.
  public var lines: [String] {
    String(decoding: output.withLock { $0 }, as: UTF8.self).split(separator: "\n").map(String.init)
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
