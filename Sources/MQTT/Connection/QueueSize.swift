/// How much is in a queue, or may be.
public struct QueueSize: Sendable, Hashable {
  /// The number of messages.
  public var count: Int
  /// The bytes of their topics, payloads and properties.
  public var bytes: Int

  /// Makes a size.
  public init(count: Int, bytes: Int) {
    self.count = count
    self.bytes = bytes
  }
}
