/// How hard the two ends of one link try to deliver a message (MQTT 5, 4.3).
public enum QoS: Int, Sendable, Comparable, Hashable, CaseIterable {
  /// Sent once, never confirmed.
  case atMostOnce = 0
  /// Sent until it is confirmed; may arrive twice.
  case atLeastOnce = 1
  /// Exactly once inside one connection; at least once across a reconnect.
  ///
  /// With a kept session (``ConnectionOptions/sessionExpiry``) it is sent again under its old id, so that it
  /// arrives twice only if the link broke after the broker had passed it on and before it could say so.
  case exactlyOnce = 2

  /// Orders by the level of assurance.
  public static func < (left: Self, right: Self) -> Bool {
    left.rawValue < right.rawValue
  }
}
