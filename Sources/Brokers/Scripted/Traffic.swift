extension ScriptedBroker {
  /// What a flood or a sink has moved.
  public struct Traffic: Sendable, Hashable {
    /// How many messages were written or read, whole.
    public var messages = 0
    /// The bytes of these PUBLISH packets.
    public var bytes = 0
    /// How many of them the receiver acknowledged: the client in a flood, the broker in a sink.
    public var acknowledged = 0
    /// From the first message to the last one, or to its acknowledgement.
    public var duration: Duration = .zero

    /// Nothing yet.
    public init() {}

    /// Messages a second.
    public var rate: Double { duration > .zero ? Double(messages) / (duration / .seconds(1)) : 0 }
  }
}
