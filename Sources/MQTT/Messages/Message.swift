/// A message as it came from the broker.
public struct Message: Sendable, Hashable {
  /// The topic. Any string the broker sent: `+` and `#` in it are plain characters.
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

  /// Makes a message, as a broker would send it.
  public init(
    topic: String, payload: [UInt8], qos: QoS = .atMostOnce, isRetained: Bool = false,
    subscriptionIdentifiers: SubscriptionIdentifiers = []
  ) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.isRetained = isRetained
    self.subscriptionIdentifiers = subscriptionIdentifiers
  }
}

extension Message: CustomStringConvertible {
  /// The topic and the payload, if that is text; else its size.
  public var description: String {
    "\(topic) \(String(validating: payload, as: UTF8.self) ?? "(\(payload.count) bytes)")"
  }
}

/// A time that makes no difference between messages.
///
/// A plain number, because an instant of a clock has no fixed layout, and each copy of each message would pay for that.
package struct Arrival: Sendable, Hashable {
  private static let start = ContinuousClock.now

  /// Nanoseconds since `start`; 0 for a message that did not come from a socket.
  private let nanoseconds: Int64

  /// Of a message that did not come from a socket.
  package init() {
    nanoseconds = 0
  }

  package init(_ time: ContinuousClock.Instant) {
    let (seconds, attoseconds) = Self.start.duration(to: time).components
    let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    self.nanoseconds = nanoseconds == 0 ? 1 : nanoseconds
  }

  /// How long ago it was.
  package var age: Duration {
    nanoseconds == 0 ? .zero : Self.start.duration(to: .now) - .nanoseconds(nanoseconds)
  }

  package static func == (left: Arrival, right: Arrival) -> Bool { true }

  package func hash(into hasher: inout Hasher) {}
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
