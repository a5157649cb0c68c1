public import Signals

/// A bounded place where values wait for a slow observer, so that it holds up nobody else.
///
/// Handlers behind it run on a queue of its own, one at a time and in order; what they miss is decided by a policy, and
/// counted.
///
/// ```swift
/// let mailbox = Mailbox(.latestPerTopic, capacity: 10_000)
/// bus.signal("sensors/#").mailbox(mailbox).subscribe { slow($0) }
/// print(mailbox.counters)
/// ```
///
/// One mailbox may serve several subscriptions: each has a queue of `capacity` for itself, while they share the thread
/// and the counters. For observers that shall not wait for each other, make one each.
public final class Mailbox: Sendable {
  /// What becomes of a value that comes while the mailbox is full.
  public enum Policy: Sendable, Hashable {
    /// Nothing is lost: the sender waits for room. For a signal of a bus that is the bus: all its handlers wait, and
    /// when the inbox is full it stops to read, so that the broker waits too.
    case wait
    /// The value that waits longest gives way.
    case dropOldest
    /// The new value is dropped.
    case dropNewest
    /// A new value takes the place of the waiting one of the same topic, in its turn: so no topic, however busy, keeps
    /// others waiting. When more topics than `capacity` wait, the one that waits longest gives way.
    ///
    /// For a `Message` or a ``Reading``, and by `mailbox(_:topic:)` for all else.
    case latestPerTopic
  }

  /// What becomes of a value that comes while the mailbox is full.
  public let policy: Policy
  /// How many values may wait, for each subscription.
  public let capacity: Int
  let scheduler: any Scheduler
  private let tally = Lock(MailboxCounters())

  /// Makes a mailbox for `capacity` values, 1 or more.
  ///
  /// Its handlers run on a queue of its own, unless a `scheduler` is given. One that waits never waits for its own
  /// scheduler: what is sent from there is taken in beyond the capacity.
  public init(_ policy: Policy, capacity: Int, on scheduler: (any Scheduler)? = nil) {
    precondition(capacity > 0, "Mailbox takes a capacity of 1 or more, not \(capacity)")
    self.policy = policy
    self.capacity = capacity
    self.scheduler = scheduler ?? QueueScheduler(label: "signalbox.mailbox")
  }

  /// What came and what became of it, over all subscriptions, also those that have ended. From any thread.
  public var counters: MailboxCounters { tally.withLock { $0 } }

  func count(_ change: MailboxCounters) { tally.withLock { $0 += change } }
}
