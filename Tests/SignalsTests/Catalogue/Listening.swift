import Signals

/// A subscription of a test, and what its handlers received.
struct Listening {
  let subscription: Subscription
  private let history: History
  /// What the handlers capture: gone with them.
  private(set) weak var listener: Listener?

  init(_ subscription: Subscription, _ listener: Listener) {
    self.subscription = subscription
    self.listener = listener
    history = listener.history
  }

  var log: [String] { history.log }
  var hasEnded: Bool { log.contains(where: Self.isTerminal) }

  static func isTerminal(_ event: String) -> Bool { event == "completed" || event.hasPrefix("failed") }

  /// Whether the grammar was broken: there is at most one terminal, and nothing after it.
  var grammarFaults: [String] {
    log.dropLast().contains(where: Self.isTerminal) ? ["the grammar is broken: \(log)"] : []
  }
}

/// What the handlers of a test capture.
final class Listener: Sendable {
  let history = History()
  private let handling: @Sendable (Int) -> Void

  init(_ handling: @escaping @Sendable (Int) -> Void) { self.handling = handling }

  func receive(_ event: String) {
    let number = history.log.count
    history.add(event)
    handling(number)
  }
}
