import MQTT

/// What the table knows of one filter. Whoever gets one has a copy.
extension SubscriptionTable {
  enum Actual: Equatable {
    case none
    /// A SUBSCRIBE is under way.
    case subscribing(UInt32, QoS, over: Former)
    /// The QoS that was asked for, and the one that was granted.
    case subscribed(UInt32, QoS, granted: QoS)
    case unsubscribing
    /// A session that the broker kept may or may not hold it, or a request had no answer.
    case unsure
  }

  /// What the broker keeps when it refuses a SUBSCRIBE.
  enum Former: Equatable {
    case nothing
    /// What is wanted, at a lower QoS.
    case lower(QoS)
    case unknown
  }

  struct Entry {
    /// Whose it is, from the first who wants it until the linger after the last has passed.
    var owner: Owner?
    var identifier: UInt32 = 0
    /// The highest QoS that was asked for since; nil when nobody wants it.
    var wanted: QoS?
    var observers = 0
    var lingersUntil: Duration?
    var isQueuedForLinger = false
    var actual = Actual.none
    /// Whether a request for it went unanswered on this link: the broker need not send again what it has in store.
    var wasUnanswered = false
    /// Whether it is in `dirty`, or `held`.
    var isDirty = false
    /// With how many it may be under way; fewer, the more it is suspected: see `linkClosed(byBroker:)`.
    var company = Int.max
    /// How often in a row the broker ended the link while it was under way alone.
    var lonelyBreaks = 0
    /// The identifier of the wider one that serves it.
    var coveredBy: UInt32?
    /// How often somebody began to want it.
    var generation = 0

    /// One more listens, where somebody does: whose it is, and whether it is now wanted at a higher QoS.
    mutating func join(_ qos: QoS) -> (owner: Owner, isMore: Bool)? {
      guard let wanted, let owner else { return nil }
      observers += 1
      lingersUntil = nil
      self.wanted = max(wanted, qos)
      return (owner, qos > wanted)
    }

    mutating func leaveToOthers(_ identifier: UInt32) -> Bool {
      guard self.identifier == identifier, observers > 1 else { return false }
      observers -= 1
      return true
    }

    /// The QoS at which the broker has what is wanted; while a raise is under way that of before.
    var granted: QoS? {
      switch actual {
      case .subscribed(identifier, _, let granted): granted
      case .subscribing(identifier, _, over: .lower(let former)): former
      default: nil
      }
    }

    /// The QoS that was asked for, of what the broker has of what is wanted.
    var asked: QoS? {
      if case .subscribed(identifier, let asked, _) = actual { asked } else { granted }
    }

    /// Whether the broker is still to answer what is wanted at the highest QoS.
    var isUndecided: Bool {
      if case .subscribed(identifier, let asked, _) = actual { asked < wanted ?? asked } else { true }
    }

    /// Whether somebody who wants `qos` wants a raise: others can have what they want without.
    func isRaised(by qos: QoS) -> Bool {
      if case .subscribing(identifier, let first, over: .nothing) = actual { return qos > first }
      return asked.map { qos > $0 } ?? false
    }
  }
}
