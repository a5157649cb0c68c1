import Dispatch
import MQTT
import Signals
import Synchronization

/// Counts what a connection tells, and may take its time for it.
final class Listener: ConnectionDelegate {
  private let connectCount = Atomic<Int>(0)
  private let disconnectCount = Atomic<Int>(0)
  private let messageCount = Atomic<Int>(0)
  private let isBlocking = Atomic<Bool>(false)
  private let gate = DispatchSemaphore(value: 0)
  private let speaks: Bool
  private let tellsMessages: Bool

  /// `speaks`: tell when a link comes and goes; `tellsMessages`: and each message.
  init(speaks: Bool = false, tellsMessages: Bool = false) {
    self.speaks = speaks
    self.tellsMessages = tellsMessages
  }

  var connects: Int { connectCount.load(ordering: .relaxed) }
  var disconnects: Int { disconnectCount.load(ordering: .relaxed) }
  var messages: Int { messageCount.load(ordering: .relaxed) }

  /// From now on the first message holds its handler up until ``release()``.
  func block() { isBlocking.store(true, ordering: .relaxed) }

  func release() { gate.signal() }

  func connectionDidConnect(_ session: Session) {
    connectCount.add(1, ordering: .relaxed)
    if speaks { tell("connected", session.isPresent ? "resumed" : "new") }
  }

  func connectionDidDisconnect(_ cause: ConnectionError?) {
    disconnectCount.add(1, ordering: .relaxed)
    if speaks { tell("disconnected", cause.map { "\($0)" } ?? "by this side") }
  }

  func connectionDidReceive(_ message: Message) {
    messageCount.add(1, ordering: .relaxed)
    if isBlocking.exchange(false, ordering: .relaxed) {
      tell("blocked", message.topic)
      gate.wait()
    }
    if tellsMessages { tell("message", message) }
  }
}

/// Starts a call with a completion and waits on this thread for what it is given.
func result<Value: Sendable>(_ start: (@escaping @Sendable (Value) -> Void) -> Void) -> Value {
  let box = Box<Value>()
  start { value in
    box.value.withLock { $0 = value }
    box.isFull.signal()
  }
  box.isFull.wait()
  guard let value = box.value.withLock({ $0 }) else { fail("a completion without a result") }
  return value
}

private final class Box<Value: Sendable>: Sendable {
  let value = Lock<Value?>(nil)
  let isFull = DispatchSemaphore(value: 0)
}
