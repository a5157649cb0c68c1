/// What became of a publish.
public enum PublishResult: Sendable, Hashable {
  /// QoS 0: written to the socket.
  case sent
  /// QoS 1 and 2: the broker has it. MQTT 5 also tells ``ReasonCode/noMatchingSubscribers``.
  case acknowledged(ReasonCode)
  /// Its ``MessageProperties/expiry`` passed before it could be sent, or sent again after the link had broken
  /// without an acknowledgement: only in the latter case it may have arrived.
  case expired
  /// The broker doesn't want it, or said beforehand that it wouldn't. Not seen in MQTT 3.1.1, where a denied publish is
  /// acknowledged.
  case refused(ReasonCode)
  /// A newer message of its topic took its place before it was sent.
  case superseded
  /// The outbox is full; nothing was queued.
  case overflowed
  /// It was not sent, the link broke before a QoS 0 message was written, or the broker ends the connection at it, which
  /// is ``ConnectionError/poison(_:_:)``.
  case failed(ConnectionError)

  /// Whether the message, or the newer one in its place, is on its way.
  public var isSuccess: Bool {
    switch self {
    case .sent, .acknowledged, .superseded: true
    case .expired, .refused, .overflowed, .failed: false
    }
  }
}
