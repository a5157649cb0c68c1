import MQTT
import Signals

/// An observer that came when more was retained than the bus remembers: what is missing comes by a connection of its own,
/// between live messages, and never after a newer one of its topic.
final class RefilledObserver: Observer<Message>, @unchecked Sendable {
  // Sound: immutable; the subject guards itself.
  fileprivate enum Item: Sendable {
    case live(Message)
    case stored(Message)
    case done
  }

  private let items = Subject<Item>()
  private let downstream: Observer<Message>

  init(_ downstream: Observer<Message>) {
    self.downstream = downstream
    super.init()
    _ = items.signal.attach(RefillOrder(downstream))
  }

  override func send(_ message: Message) { items.send(.live(message)) }
  override func fail(_ error: any Error) { items.fail(error) }
  override func complete() { items.complete() }
  override var isDisposed: Bool { downstream.isDisposed }

  /// A message that the broker had in store.
  func refill(_ message: Message) { items.send(.stored(message)) }

  /// Nothing more of that comes.
  func refilled() { items.send(.done) }
}

/// Drops what is older than what the observer has.
private final class RefillOrder: Observer<RefilledObserver.Item>, @unchecked Sendable {
  // Sound: a subject sends one event at a time.
  private let downstream: Observer<Message>
  private var seen: Set<String>? = []

  init(_ downstream: Observer<Message>) { self.downstream = downstream }

  override func send(_ item: RefilledObserver.Item) {
    switch item {
    case .live(let message):
      seen?.insert(message.topic)
      downstream.send(message)
    case .stored(let message):
      if seen?.insert(message.topic).inserted == true { downstream.send(message) }
    case .done:
      seen = nil
    }
  }

  override func fail(_ error: any Error) { downstream.fail(error) }
  override func complete() { downstream.complete() }
  override var isDisposed: Bool { downstream.isDisposed }
}
