/// A name and a value that travel with a message (MQTT 5, 3.3.2.3.7). Names may repeat.
public struct UserProperty: Sendable, Hashable {
  /// The name, at most 65,535 bytes of UTF-8.
  public var name: String

  /// The value, at most 65,535 bytes of UTF-8.
  public var value: String

  /// Makes a property.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
