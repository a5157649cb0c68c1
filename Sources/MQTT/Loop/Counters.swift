import Synchronization

/// What ``ConnectionMetrics`` counts: written by the owner of the loop, read by anybody.
final class Counters: Sendable {
  let connects = Atomic<Int>(0)
  let messagesReceived = Atomic<Int>(0)
  let bytesReceived = Atomic<Int>(0)
  let messagesSent = Atomic<Int>(0)
  let messagesDropped = Atomic<Int>(0)
  let inboxOverflows = Atomic<Int>(0)
  /// The rounds of the loop, for tests: a loop that never rests has many.
  let rounds = Atomic<Int>(0)
}

extension Atomic<Int> {
  /// Adds without an order to anything else.
  func count(_ number: Int = 1) {
    add(number, ordering: .relaxed)
  }

  /// The value, without an order to anything else.
  var value: Int { load(ordering: .relaxed) }
}
