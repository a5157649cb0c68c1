/// A message as it came from the broker.
public struct Message: Sendable, Hashable {
  /// The topic. Any string the broker sent: `+` and `#` in it are plain characters. libmosquitto breaks the link for one
  /// that is empty, not UTF-8 or holds a control character.
  public let topic: String

  /// The content, copied once out of the library's buffer.
  public let payload: [UInt8]

  /// The level of assurance of this copy.
  public let qos: QoS

  /// The retain flag as received: set when the broker had the message in store, and, with
  /// ``Subscribe/retainAsPublished``, also on live messages that were published with it.
  public let isRetained: Bool

  /// Whether the broker had it in store or it is new: see ``MessageOrigin``.
  public package(set) var origin = MessageOrigin.unknown

  /// When it was read from the socket: handlers may see it much later.
  package var arrival = Arrival()

  /// The identifiers of the subscriptions that this copy is for (MQTT 5, 3.3.2.3.8).
  public let subscriptionIdentifiers: SubscriptionIdentifiers

  /// What the publisher said beside the payload; empty in MQTT 3.1.1.
  public let properties: MessageProperties

  /// Makes a message, as a broker would send it.
  public init(
    topic: String, payload: [UInt8], qos: QoS = .atMostOnce, isRetained: Bool = false,
    subscriptionIdentifiers: SubscriptionIdentifiers = [], properties: MessageProperties = .init()
  ) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.isRetained = isRetained
    self.subscriptionIdentifiers = subscriptionIdentifiers
    self.properties = properties
  }
}

extension Message: CustomStringConvertible {
  /// The topic and the payload, if that is text; else its size.
  public var description: String {
    "\(topic) \(String(validating: payload, as: UTF8.self) ?? "(\(payload.count) bytes)")"
  }
}

/// When a message came, to the millisecond, in four bytes; it makes no difference between messages.
package struct Arrival: Sendable, Hashable {
  private static let start = ContinuousClock.now

  /// Milliseconds since `start`, which may have come round; 0 for a message that did not come from a socket.
  private var stamp: UInt32

  package init() {
    stamp = 0
  }

  package init(_ time: ContinuousClock.Instant) {
    stamp = max(1, Self.milliseconds(until: time))
  }

  /// The time `duration` later.
  package func advanced(by duration: Duration) -> Arrival {
    var later = self
    later.stamp = max(1, stamp &+ UInt32(bitPattern: duration.milliseconds))
    return later
  }

  /// Whether it was not later, if both are within 24 days.
  package static func <= (left: Arrival, right: Arrival) -> Bool {
    Int32(bitPattern: right.stamp &- left.stamp) >= 0
  }

  package static func == (left: Arrival, right: Arrival) -> Bool { true }

  package func hash(into hasher: inout Hasher) {}

  private static func milliseconds(until time: ContinuousClock.Instant) -> UInt32 {
    let (seconds, attoseconds) = start.duration(to: time).components
    return UInt32(truncatingIfNeeded: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
  }
}

/// Where a message was before it came here.
public enum MessageOrigin: Sendable, Hashable {
  /// It is the topic's retained message, as the broker had it in store.
  case stored
  /// It was published just now.
  case live
  /// Not known: a connection alone can't tell, and MQTT 3.1.1 not in every case.
  case unknown
}
