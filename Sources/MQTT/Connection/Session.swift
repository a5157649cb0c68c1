/// What the broker said when it accepted the connection.
public struct Session: Sendable, Hashable {
  /// Why MQTT 3.1.1 is spoken though MQTT 5 was asked for.
  public enum Fallback: Sendable, Hashable {
    /// The broker refused MQTT 5 by name.
    case refused
    /// The broker closed the link, stayed silent, or answered with what is no packet of MQTT 5. The next link is
    /// asked for MQTT 5 again.
    case unanswered
  }

  /// Whether the broker still had this client's subscriptions and messages.
  ///
  /// False, too, when the last link was one to another host of ``ConnectionOptions/endpoints``: what is kept here may
  /// be older than that.
  public var isPresent = false

  /// Whether the broker claimed a session although this connect had asked for none to be kept. Then ``isPresent`` is
  /// false: the claim can't be true (MQTT 5, 3.2.2.1.1).
  public var ignoredCleanStart = false

  /// The version that is spoken.
  public var version = ProtocolVersion.v5

  /// Why ``version`` is lower than asked for, if it is.
  public var fallback: Fallback?

  /// Whether ``version`` is lower than asked for.
  public var isFallback: Bool { fallback != nil }

  /// The client id in use; the broker may have assigned it.
  public var clientID = ""

  /// The highest QoS that the broker takes.
  public var maximumQoS = QoS.exactlyOnce

  /// How many QoS 1 and 2 messages the broker takes at once.
  public var receiveMaximum = 65_535

  /// The largest packet that the broker takes, in bytes, if it has a limit.
  public var maximumPacketSize: Int?

  /// The keep-alive that holds; the broker may have changed it.
  public var keepAlive = Duration.seconds(60)

  /// Whether the broker stores retained messages.
  public var isRetainAvailable = true

  /// Whether subscriptions may carry an identifier. Never in MQTT 3.1.1.
  public var hasSubscriptionIdentifiers = true

  /// Whether there are `$share/group/filter` subscriptions. Unknown, and taken as yes, in MQTT 3.1.1.
  public var hasSharedSubscriptions = true

  /// Whether filters may hold wildcards.
  public var hasWildcards = true

  /// Tells the links of one connection apart: they are counted from 1. It makes no difference between sessions.
  package var number = LinkNumber()

  /// Makes the session of a broker without any limit.
  public init() {}
}

/// The number of a link; equal to every other one.
package struct LinkNumber: Sendable, Hashable {
  package var value: UInt32 = 0

  package static func == (left: LinkNumber, right: LinkNumber) -> Bool { true }

  package func hash(into hasher: inout Hasher) {}
}
