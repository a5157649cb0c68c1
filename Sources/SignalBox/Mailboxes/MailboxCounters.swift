/// What came to a mailbox and what became of it.
///
/// At any time `received` is the sum of the others. Progress and terminals are not counted.
public struct MailboxCounters: Sendable, Hashable, CustomStringConvertible {
  /// The values that were taken in or dropped. One whose sender waits for room is not received yet.
  public var received = 0
  /// The values that were handed to the observer.
  public var delivered = 0
  /// The values that were lost for want of room, or because the subscription was disposed.
  public var dropped = 0
  /// The values in whose place a newer one of the same topic came.
  public var superseded = 0
  /// The values that wait now.
  public var waiting = 0

  /// Makes counters.
  public init(received: Int = 0, delivered: Int = 0, dropped: Int = 0, superseded: Int = 0, waiting: Int = 0)
  {
    self.received = received
    self.delivered = delivered
    self.dropped = dropped
    self.superseded = superseded
    self.waiting = waiting
  }

  /// One line.
  public var description: String {
    "received \(received), delivered \(delivered), dropped \(dropped), superseded \(superseded), waiting \(waiting)"
  }

  static func += (left: inout Self, right: Self) {
    left.received += right.received
    left.delivered += right.delivered
    left.dropped += right.dropped
    left.superseded += right.superseded
    left.waiting += right.waiting
  }
}
