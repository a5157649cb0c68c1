import Brokers
import MQTT

/// Sound messages between the damaged packets: the client acknowledges one when it has read all that was sent before.
///
/// They have numbers, so that the client can tell whether one that it acknowledged is missing, comes twice or too early.
final class Fences: Sendable {
  static let topic = "fence"
  /// No other message has an id from here on.
  static let firstID: UInt16 = 61_000

  private struct State {
    var sent = 0
    var seen = 0
  }

  private let state = Guarded(State())

  /// The next one.
  func next() -> (id: UInt16, packet: Packet) {
    let number = state.withLock { state in
      state.sent += 1
      return state.sent
    }
    let id = Self.firstID + UInt16(number % 4_000)
    return (id, .publish(Self.topic, "\(number)", qos: 1, id: id))
  }

  /// Notes the one that a handler was called with; says what is wrong with it.
  func see(_ message: Message) -> String? {
    guard let number = Int(String(decoding: message.payload, as: UTF8.self)) else {
      return "a sound message arrived damaged: \(message)"
    }
    return state.withLock { state in
      defer { state.seen = number }
      if number > state.sent { return "fence \(number) arrived before it was sent" }
      return number > state.seen ? nil : "fence \(number) arrived after fence \(state.seen)"
    }
  }
}
