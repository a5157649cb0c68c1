/// What a connection has done until now, and what it is at: a snapshot.
public struct ConnectionMetrics: Sendable, Hashable, CustomStringConvertible {
  /// A call of user code that has not returned for so long that another thread had to take over the loop.
  public struct StalledHandler: Sendable, Hashable, CustomStringConvertible {
    /// The topic of the message that it was called with; `nil` when it was called for something else.
    public var topic: String?
    /// For how long it has been at it, since another thread took over: up to a tenth of a second less.
    public var duration: Duration

    /// Makes a description of one.
    public init(topic: String?, duration: Duration) {
      self.topic = topic
      self.duration = duration
    }

    /// One line.
    public var description: String {
      "a handler\(topic.map { " of \"\($0)\"" } ?? "") is at it for \(duration.brief)"
    }
  }

  /// How often a broker has accepted the connection.
  public var connects = 0
  /// The messages that came, dropped ones too.
  public var messagesReceived = 0
  /// The bytes of their topics and payloads, without the dropped ones.
  public var bytesReceived = 0
  /// The messages handed to the socket; those sent again count again.
  public var messagesSent = 0
  /// The QoS 0 messages dropped because the inbox was full for too long.
  public var messagesDropped = 0
  /// How often the link was closed because the inbox had no room for a QoS 1 message. With a session the broker sends
  /// what was not acknowledged again; without one it is lost.
  public var inboxOverflows = 0
  /// What has come and waits for handlers.
  public var inbox = QueueSize(count: 0, bytes: 0)
  /// What waits to be sent, without what flies.
  public var outbox = QueueSize(count: 0, bytes: 0)
  /// The handler that holds up the messages behind it.
  public var stalledHandler: StalledHandler?

  /// Makes a snapshot in which nothing has happened.
  public init() {}

  /// One line.
  public var description: String {
    "connects \(connects), in \(messagesReceived) (\(bytesReceived) bytes), out \(messagesSent), "
      + "dropped \(messagesDropped), inbox overflows \(inboxOverflows), inbox \(inbox.count), outbox \(outbox.count)"
      + (stalledHandler.map { ", \($0)" } ?? "")
  }
}
