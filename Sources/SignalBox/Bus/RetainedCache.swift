import MQTT
import Signals

/// What late subscribers of one filter get, and how stored messages are told from live ones.
///
/// MQTT 5, with retain-as-published: the cache is the broker's retained set. MQTT 3.1.1, where live messages come
/// without the flag: the newest message of each topic. Bounded; topics beyond the bound are not remembered.
final class RetainedCache: ReplayStore {
  private struct State {
    var messages: [String: Message] = [:]
    /// The topics that have come since the last SUBSCRIBE.
    var seen: Set<String> = []
    var keepsRetainFlag = false
  }

  private let bound: Int
  private let state = Lock(State())

  init(bound: Int = 10_000) { self.bound = bound }

  /// A SUBSCRIBE goes out: the broker will send what it has in store, once more.
  func willSubscribe(keepsRetainFlag: Bool) {
    state.withLock { state in
      state.keepsRetainFlag = keepsRetainFlag
      state.seen = []
    }
  }

  /// The message with its origin; `nil` for a stored one that the observers have already.
  func admit(_ message: Message) -> Message? {
    state.withLock { state in
      var message = message
      let isFirst =
        state.keepsRetainFlag && message.isRetained && state.seen.count < bound
        ? state.seen.insert(message.topic).inserted : true
      if !message.isRetained, state.keepsRetainFlag, state.seen.count < bound {
        state.seen.insert(message.topic)
      }
      message.origin = message.isRetained && isFirst ? .stored : .live
      if message.origin == .stored, state.messages[message.topic]?.payload == message.payload { return nil }
      return message
    }
  }

  func remember(_ message: Message) {
    state.withLock { state in
      guard message.isRetained || !state.keepsRetainFlag else { return }
      if message.payload.isEmpty {
        state.messages[message.topic] = nil
      } else if state.messages[message.topic] != nil || state.messages.count < bound {
        var message = message
        message.origin = state.keepsRetainFlag ? .stored : .unknown
        state.messages[message.topic] = message
      }
    }
  }

  /// By topic, so that newcomers see one order.
  var values: ContiguousArray<Message> {
    ContiguousArray(state.withLock { $0.messages.values.sorted { $0.topic < $1.topic } })
  }
}
