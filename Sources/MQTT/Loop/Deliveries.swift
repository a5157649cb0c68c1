/// What the delegate is told, in order.
enum Delivery: LaneItem {
  indirect case connected(Session)
  case message(Message)
  indirect case disconnected(ConnectionError?)
  /// What a planner wants to be called in this order.
  case call(@Sendable () -> Void)

  var weight: Int {
    if case .message(let message) = self { message.payload.count + message.topic.utf8.count } else { 0 }
  }

  var isMessage: Bool {
    if case .message = self { true } else { false }
  }

  /// A link that came and went without a message, before anybody could be told.
  func undoes(_ earlier: Delivery) -> Bool {
    if case (.disconnected, .connected) = (self, earlier) { true } else { false }
  }
}

/// How calls ended, and other things that are not messages. A handler of a message may wait for them, so they have a
/// lane of their own.
enum Report: LaneItem {
  case result(Mailbox.Completion, PublishResult)
  case call(@Sendable () -> Void)

  var weight: Int { 0 }

  func undoes(_ earlier: Report) -> Bool { false }

  func callAsFunction() {
    switch self {
    case .result(let completion, let result): completion(result)
    case .call(let body): body()
    }
  }
}
