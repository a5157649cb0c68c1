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

  /// The highest QoS to receive at. ``QoS/exactlyOnce`` is asked for, and granted, as
  /// ``QoS/atLeastOnce``: libmosquitto loses and repeats QoS 2 messages across reconnects.
  public var qos: QoS

  /// What matching messages carry in ``Message/subscriptionIdentifiers``: 1 to 268,435,455.
  public var identifier: UInt32?

  /// Whether the broker leaves out what this client itself publishes.
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

/// The broker's answer to one ``Subscribe``.
public enum SubscribeResult: Sendable, Hashable {
  /// Accepted, at this QoS: it may be lower than the one asked for.
  case granted(QoS)
  /// Not accepted; no message of this filter will come.
  case refused(ReasonCode)
}
