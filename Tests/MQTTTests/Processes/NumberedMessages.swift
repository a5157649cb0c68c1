import Brokers
import Foundation
import MQTT
import Peers

/// Takes numbers from 0 for each topic as they arrive.
///
/// Each must follow the one before it, but for steps back to some that had come: what flew on a link that was cut is sent
/// again, and all that came after it. So nothing is missing, and no first arrival overtakes another.
final class NumberedMessages: Sendable, CustomStringConvertible {
  private struct Progress {
    var last = -1
    var newest = -1
    var stepsBack = 0
  }

  private struct State {
    var topics: [String: Progress] = [:]
    var count = 0
    var duplicates = 0
    var problems: [String] = []
  }

  private let state = Guarded(State())

  func take(_ topic: String, _ text: String) {
    state.withLock { state in
      guard let number = Int(text) else { return state.problems.append("\(topic) \(text)") }
      var progress = state.topics[topic] ?? Progress()
      if number != progress.last + 1 {
        if number > progress.newest {
          state.problems.append("\(topic): \(number) after \(progress.last)")
        } else if number > progress.last {
          state.problems.append("\(topic): again \(number) after \(progress.last)")
        } else {
          progress.stepsBack += 1
        }
      }
      if number > progress.newest {
        progress.newest = number
        state.count += 1
      } else {
        state.duplicates += 1
      }
      progress.last = number
      state.topics[topic] = progress
    }
  }

  /// How many different ones came.
  var count: Int { state.withLock { $0.count } }
  /// How many different ones of a topic came.
  func count(of topic: String) -> Int { state.withLock { ($0.topics[topic]?.newest ?? -1) + 1 } }
  /// How many came again.
  var duplicates: Int { state.withLock { $0.duplicates } }
  /// How often a topic went back to what had come, at the most.
  var stepsBack: Int { state.withLock { $0.topics.values.map(\.stepsBack).max() ?? 0 } }
  /// What was missing, came too early or is no number.
  var problems: [String] { state.withLock { $0.problems } }

  var description: String {
    "\(count), \(duplicates) again in \(stepsBack) steps back, \(problems.prefix(3))"
  }
}

/// Hands on what a connection receives.
final class NumberRecorder: ConnectionDelegate {
  private let numbers: NumberedMessages
  private let sessions = Guarded(0)

  init(_ numbers: NumberedMessages) { self.numbers = numbers }

  var connects: Int { sessions.withLock { $0 } }

  func connectionDidConnect(_ session: Session) { sessions.withLock { $0 += 1 } }
  func connectionDidDisconnect(_ cause: ConnectionError?) {}
  func connectionDidReceive(_ message: Message) {
    numbers.take(message.topic, String(decoding: message.payload, as: UTF8.self))
  }
}

/// mosquitto's own clients with more messages than ``Peer`` is made for.
enum NumberedPeer {
  /// Has `mosquitto_sub` listen to `filter` at QoS 1, and returns when it does.
  static func subscribe(
    _ broker: LocalBroker, _ filter: String, _ numbers: NumberedMessages
  ) async throws -> ChildProgram {
    let rest = Guarded<[UInt8]>([])
    let isReady = Guarded(false)
    // The marker is retained, so it comes as soon as there is the subscription.
    try await Peer.publish(broker, "-t", "ready", "-m", "ready", "-r")
    let command = ["mosquitto_sub", "-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1"]
    let arguments = ["-t", filter, "-t", "ready", "-F", "%t %p"]
    let program = try ChildProgram(command + arguments) { bytes in
      var lines: [Substring] = []
      rest.withLock { rest in
        rest += bytes
        guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return }
        lines = String(decoding: rest[..<end], as: UTF8.self).split(separator: "\n")
        rest.removeFirst(end + 1)
      }
      for line in lines {
        let words = line.split(separator: " ")
        if words.first == "ready" {
          isReady.withLock { $0 = true }
        } else {
          numbers.take(String(words[0]), String(words[1]))
        }
      }
    }
    try await eventually("no subscription") { isReady.withLock { $0 } }
    return program
  }

  /// Has `mosquitto_pub` publish the numbers below `count` at QoS 1, about as fast as they arrive: what waits in the
  /// broker is sent again after each cut, and must not be more than a link carries.
  static func publish(
    _ broker: LocalBroker, _ topic: String, _ count: Int, arrived: NumberedMessages
  ) async throws {
    let pipe = try NamedPipe()
    let command = "exec mosquitto_pub -h 127.0.0.1 -p \(broker.port) -q 1 -l -t \(topic) <\(pipe.path)"
    let program = try ChildProgram(["sh", "-c", command]) { _ in }
    let ahead = 40
    for start in stride(from: 0, to: count, by: ahead / 2) {
      try await eventually("nothing arrives: \(arrived)") { arrived.count(of: topic) + ahead / 2 >= start }
      try pipe.write((start..<min(start + ahead / 2, count)).map { "\($0)" })
    }
    try pipe.close()
    guard await program.status == 0 else { throw PeerFailed() }
  }

  struct PeerFailed: Error {}
}
