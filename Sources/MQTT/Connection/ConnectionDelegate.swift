/// What a connection tells its owner: in order, one call after the other.
///
/// Calls come from outside the library and under no lock: publish, subscribe, unsubscribe and close from inside them at
/// will, and wait for what comes of it. While calls are quick, they are made by the thread that has read, and a QoS 1
/// message is acknowledged after its call has returned. A slow call holds up only the calls behind it: another thread
/// goes on with the connection meanwhile, and what has come is acknowledged and waits in the inbox
/// (``ConnectionOptions/inboxLimits``).
public protocol ConnectionDelegate: AnyObject, Sendable {
  /// The broker accepted the connection; the messages that follow belong to it.
  func connectionDidConnect(_ session: Session)

  /// The link is gone; no message of it will follow. Comes once for each ``connectionDidConnect(_:)``; the cause
  /// is nil when this side closed.
  func connectionDidDisconnect(_ cause: ConnectionError?)

  /// A message came.
  func connectionDidReceive(_ message: Message)
}
