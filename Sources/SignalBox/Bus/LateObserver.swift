import MQTT
import Signals

/// An observer that does not want what the policy of most gives it.
final class LateObserver: Observer<Message>, @unchecked Sendable {
  // Sound: immutable.
  let policy: LatePolicy
  private let downstream: Observer<Message>

  init(_ policy: LatePolicy, _ downstream: Observer<Message>) {
    self.policy = policy
    self.downstream = downstream
  }

  override func send(_ message: Message) {
    if policy == .none, message.origin != .live { return }
    downstream.send(message)
  }

  override func send(progress: ProgressUpdate) { downstream.send(progress: progress) }
  override func fail(_ error: any Error) { downstream.fail(error) }
  override func complete() { downstream.complete() }
  override var isDisposed: Bool { downstream.isDisposed }
}
