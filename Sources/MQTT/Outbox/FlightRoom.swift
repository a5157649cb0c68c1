/// How many more messages of QoS 1 and 2 may be sent now.
struct FlightRoom: Sendable, Hashable, ExpressibleByIntegerLiteral {
  /// Of both together.
  var messages: Int
  /// Of QoS 2 among them.
  var exactlyOnce: Int

  init(messages: Int, exactlyOnce: Int = .max) {
    self.messages = messages
    self.exactlyOnce = exactlyOnce
  }

  init(integerLiteral value: Int) {
    self.init(messages: value)
  }

  func holds(_ qos: QoS) -> Bool {
    switch qos {
    case .atMostOnce: true
    case .atLeastOnce: messages > 0
    case .exactlyOnce: messages > 0 && exactlyOnce > 0
    }
  }

  mutating func take(_ qos: QoS) {
    if qos > .atMostOnce { messages -= 1 }
    if qos == .exactlyOnce { exactlyOnce -= 1 }
  }
}
