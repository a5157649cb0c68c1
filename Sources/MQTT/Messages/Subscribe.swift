/// One subscription to ask the broker for.
///
/// MQTT 3.1.1 knows only the filter and the QoS; the rest is not sent there.
public struct Subscribe: Sendable, Hashable {
  /// When the broker sends the retained messages of a filter (MQTT 5, 3.8.3.1).
  public enum RetainHandling: Int, Sendable, Hashable {
    /// At each subscribe.
    case always = 0
    /// Only if the subscription is new.
    case whenNew = 1
    /// Not at all.
    case never = 2
  }

  /// The topics.
  public var filter: TopicFilter

  /// The highest QoS to receive at.
  ///
  /// ``QoS/exactlyOnce`` is asked for as ``QoS/atLeastOnce``, and ``SubscribeResult/granted(_:)`` says so:
  /// libmosquitto loses and repeats QoS 2 messages across reconnects.
  public var qos: QoS

  /// What matching messages carry in ``Message/subscriptionIdentifiers``: 1 to 268,435,455. Left out where the
  /// broker has none: see ``Session/hasSubscriptionIdentifiers``.
  public var identifier: UInt32?

  /// Whether the broker leaves out what this client itself publishes. Not for a shared filter (MQTT 5, 3.8.3.1).
  public var noLocal: Bool

  /// Whether live messages keep the retain flag they were published with.
  public var retainAsPublished: Bool

  /// When the broker sends the retained messages.
  public var retainHandling: RetainHandling

  /// Makes a subscription to ask for.
  public init(
    _ filter: TopicFilter, qos: QoS = .atLeastOnce, identifier: UInt32? = nil, noLocal: Bool = false,
    retainAsPublished: Bool = false, retainHandling: RetainHandling = .always
  ) {
    self.filter = filter
    self.qos = qos
    self.identifier = identifier
    self.noLocal = noLocal
    self.retainAsPublished = retainAsPublished
    self.retainHandling = retainHandling
  }
}

extension Subscribe {
  /// Why it can't be asked for, whatever the broker.
  var problem: String? {
    if let identifier, !(1...268_435_455).contains(identifier) {
      return "subscription identifier \(identifier) of \"\(filter)\" is not 1 to 268,435,455"
    }
    if noLocal, filter.sharedGroup != nil {
      return "\"\(filter)\" is shared, where brokers drop the connection for noLocal: leave it out"
    }
    return nil
  }
}

/// The broker's answer to one ``Subscribe``.
public enum SubscribeResult: Sendable, Hashable {
  /// Accepted, at this QoS: it may be lower than the one asked for, and never is ``QoS/exactlyOnce``.
  case granted(QoS)
  /// Not accepted; no message of this filter will come. Not even asked for when the broker had announced that it
  /// takes no wildcards, no shared filters or no packet of that size.
  case refused(ReasonCode)
}
