/// The version of MQTT that a connection speaks.
public enum ProtocolVersion: Int, Sendable, Hashable, CustomStringConvertible {
  /// MQTT 3.1.1.
  case v311 = 4
  /// MQTT 5.
  case v5 = 5

  /// "3.1.1" or "5".
  public var description: String {
    self == .v5 ? "5" : "3.1.1"
  }
}
