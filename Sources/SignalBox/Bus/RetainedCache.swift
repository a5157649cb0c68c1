import MQTT
import Signals

/// What late subscribers of one filter get, and how stored messages are told from live ones.
///
/// MQTT 5, with retain-as-published: the cache is the broker's retained set. MQTT 3.1.1 and the topics of jobs' lives,
/// where live messages come without the flag: the newest message of each topic. Bounded; topics beyond the bound are not remembered.
///
/// With retain-as-published both stored and live messages carry the flag. Stored ones are the first of their topic, and
/// they come in one go around the SUBACK: what comes later than `burst` after it, or after the last stored one, is live.
/// What counts is when they came, not when slow handlers let them be seen.
final class RetainedCache: ReplayStore {
  private struct State {
    var messages: [String: Message] = [:]
    /// The topics that have come since the last SUBSCRIBE.
    var seen: Set<String> = []
    /// `nil` until a SUBSCRIBE goes out.
    var keepsRetainFlag: Bool?
    /// Until when a message can be a stored one; `nil` until the SUBACK.
    var storedUntil: Duration?
  }

  private static let burst = Duration.milliseconds(250)

  private let bound: Int
  private let scheduler: any Scheduler
  private let state = Lock(State())

  init(bound: Int = 10_000, _ scheduler: any Scheduler) {
    self.bound = bound
    self.scheduler = scheduler
  }

  /// A SUBSCRIBE goes out: the broker will send what it has in store, once more.
  func willSubscribe(keepsRetainFlag: Bool) {
    state.withLock { state in
      state.keepsRetainFlag = keepsRetainFlag
      state.seen = []
      state.storedUntil = nil
    }
  }

  /// The SUBACK has come.
  func didSubscribe() {
    let now = scheduler.now
    state.withLock { $0.storedUntil = now + Self.burst }
  }

  /// The message with its origin; `nil` for a stored one that the observers have already, and for what still comes of
  /// an earlier subscription before this one's SUBSCRIBE has gone out.
  func admit(_ message: Message) -> Message? {
    state.withLock { state in
      guard let keepsRetainFlag = state.keepsRetainFlag else { return nil }
      var message = message
      message.origin = keepsRetainFlag ? origin(of: message, &state) : message.isRetained ? .stored : .live
      if message.origin == .stored, state.messages[message.topic]?.payload == message.payload { return nil }
      return message
    }
  }

  private func origin(of message: Message, _ state: inout State) -> MessageOrigin {
    let isFirst = state.seen.count < bound && state.seen.insert(message.topic).inserted
    guard message.isRetained, isFirst else { return .live }
    guard let until = state.storedUntil else { return .stored }
    let arrival = scheduler.now - message.arrival.age
    guard arrival <= until else { return .live }
    state.storedUntil = max(until, arrival + Self.burst)
    return .stored
  }

  func remember(_ message: Message) {
    state.withLock { state in
      let keepsRetainFlag = state.keepsRetainFlag ?? false
      guard message.isRetained || !keepsRetainFlag else { return }
      if message.payload.isEmpty {
        state.messages[message.topic] = nil
      } else if state.messages[message.topic] != nil || state.messages.count < bound {
        var message = message
        message.origin = keepsRetainFlag ? .stored : .unknown
        state.messages[message.topic] = message
      }
    }
  }

  /// By topic, so that newcomers see one order.
  var values: ContiguousArray<Message> {
    ContiguousArray(state.withLock { $0.messages.values.sorted { $0.topic < $1.topic } })
  }
}
