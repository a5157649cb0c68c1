/// What a connection tells its owner: in order, one call after the other, on a thread of the connection's own.
///
/// Calls come from outside the library and under no lock: publish, subscribe, unsubscribe and close from inside
/// them at will, and wait for what comes of it. A slow call holds up the calls behind it, which wait in the inbox
/// (``ConnectionOptions/inboxLimits``), and nothing else: another thread sees to the link, and completions are called.
/// A QoS 1 message is acknowledged after its call has returned, or once it is held in the inbox.
public protocol ConnectionDelegate: AnyObject, Sendable {
  /// The broker accepted the connection; the messages that follow belong to it.
  func connectionDidConnect(_ session: Session)

  /// The link is gone; no message of it will follow. Comes once for each ``connectionDidConnect(_:)``; the cause
  /// is nil when this side closed.
  func connectionDidDisconnect(_ cause: ConnectionError?)

  /// A message came.
  func connectionDidReceive(_ message: Message)
}
