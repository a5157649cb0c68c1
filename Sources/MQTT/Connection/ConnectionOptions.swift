/// Everything that a connection needs to know before it connects.
///
/// The password is never printed: not by `description`, not by `dump`, not in an error.
public struct ConnectionOptions: Sendable, CustomStringConvertible, CustomReflectable {
  /// Delays between attempts: a random part of a bound that doubles from `initial` to `maximum`.
  public struct Backoff: Sendable, Hashable {
    /// The bound of the first delay; more than zero, as the other one.
    public var initial: Duration
    /// The bound that delays never exceed.
    public var maximum: Duration

    var first: Duration { min(initial, maximum) }

    /// Makes a back-off.
    public init(initial: Duration = .seconds(1), maximum: Duration = .seconds(60)) {
      self.initial = initial
      self.maximum = maximum
    }
  }

  /// Where the broker listens.
  public var endpoint: Endpoint

  /// Who this client is to the broker. Two clients with the same id push each other out.
  public var clientID: String

  /// The user to log in as.
  public var user: String?

  /// The password of ``user``.
  public var password: String?

  /// The longest silence before the link is probed; whole seconds, rounded up, 5 s to 65,535 s.
  public var keepAlive: Duration = .seconds(60)

  /// The version to ask for. A broker that refuses MQTT 5 by name is asked again in MQTT 3.1.1.
  public var version: ProtocolVersion = .v5

  /// Whether the first connect of a ``Connection`` drops what the broker kept for ``clientID``. Its reconnects
  /// never do, as long as ``sessionExpiry`` is more than zero.
  public var cleanStart = true

  /// How long the broker keeps the session after the link broke; whole seconds, rounded up. Zero: every connect
  /// starts anew. MQTT 3.1.1 only knows "not at all" and "for ever", and after a ``cleanStart`` "not at all" until
  /// the first reconnect.
  public var sessionExpiry: Duration = .zero

  /// What the broker publishes when this client goes without saying goodbye.
  public var will: Will?

  /// The delays between attempts to connect.
  public var backoff = Backoff()

  /// How long one attempt may take, from looking up the name to the broker's answer, for each address.
  public var connectDeadline: Duration = .seconds(10)

  /// How long a subscribe or an unsubscribe waits for the broker's answer.
  public var acknowledgementDeadline: Duration = .seconds(30)

  /// How much may wait to be sent; what goes beyond is refused to the caller.
  public var outboxLimits = QueueSize(count: 100_000, bytes: 64 << 20)

  /// How much may wait for slow handlers.
  ///
  /// When it is full, nothing more is read, so that the broker keeps it, for at most half the ``keepAlive``; then QoS 0
  /// messages without room are dropped and counted, and a QoS 1 message without room ends the link before it is
  /// acknowledged (``ConnectionError/inboxOverflow(_:)``).
  public var inboxLimits = QueueSize(count: 10_000, bytes: 64 << 20)

  /// What is told what happens, line by line, on a thread of the connection's; no line holds a password.
  public var log: (@Sendable (LogLevel, String) -> Void)?

  /// The least that ``log`` is called for.
  public var logLevel = LogLevel.info

  /// How many QoS 1 and 2 messages may be without their acknowledgement at once, 1 to 1,000; never more than
  /// the broker's Receive Maximum.
  public var window = 50

  /// The largest packet the broker may send, in bytes; larger messages it leaves out. MQTT 5 only.
  public var maximumPacketSize: Int?

  /// Makes options for a broker at `host` and `port`.
  public init(host: String, port: Int = 1883) {
    self.init(endpoint: .tcp(host: host, port: port))
  }

  /// Makes options for a broker on a Unix domain socket.
  public init(unixPath: String) {
    self.init(endpoint: .unix(path: unixPath))
  }

  /// Makes options for a broker at `endpoint`.
  public init(endpoint: Endpoint) {
    self.endpoint = endpoint
    clientID = Self.randomClientID()
  }

  /// Where and as whom, without the password.
  public var description: String {
    "\(endpoint), MQTT \(version), client \(clientID)" + (user.map { ", user \($0)" } ?? "")
  }

  /// The options without the password.
  public var customMirror: Mirror {
    Mirror(self, children: ["description": description], displayStyle: .struct)
  }

  /// 19 letters and digits: every broker must accept up to 23 (MQTT 3.1.1, 3.1.3.1).
  private static func randomClientID() -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    return "sb-" + String((0..<16).map { _ in letters.randomElement()! })
  }
}

extension ConnectionOptions {
  var keepAliveSeconds: Int { keepAlive.wholeSeconds }

  /// The first thing that could not be sent as it is.
  func check() throws(ConnectionError) {
    switch endpoint {
    case .tcp(let host, let port):
      if host.isEmpty || host.utf8.contains(0) { throw .invalid("the host name is empty or holds NUL") }
      if !(1...65_535).contains(port) { throw .invalid("port \(port) is not one of 1 to 65535") }
    case .unix(let path):
      // `sun_path` holds 104 bytes on Darwin and 108 on Linux, with the final NUL.
      if path.isEmpty || path.utf8.contains(0) || path.utf8.count > 103 {
        throw .invalid("the socket path \"\(path)\" is empty, longer than 103 bytes or holds NUL")
      }
    }
    try Self.check(clientID, "client id")
    if let user { try Self.check(user, "user name") }
    if let password {
      if user == nil { throw .invalid("there is a password but no user: set both") }
      if password.utf8.contains(0) || password.utf8.count > TopicText.maximumBytes {
        throw .invalid("the password holds NUL or more than 65,535 bytes")
      }
    }
    if !(5...65_535).contains(keepAliveSeconds) {
      throw .invalid("a keep-alive of \(keepAlive) is not within 5 s to 65,535 s")
    }
    if let will {
      if will.payload.count > 65_535 { throw .invalid("the will has more than 65,535 bytes of payload") }
      if let problem = will.properties.problem { throw .invalid("the will can't be sent: \(problem)") }
    }
    if backoff.first <= .zero { throw .invalid("a back-off without delay would never rest: set both bounds") }
    if !(1...1_000).contains(window) { throw .invalid("a window of \(window) is not one of 1 to 1,000") }
    if clientID.isEmpty, sessionExpiry > .zero || !cleanStart {
      throw .invalid("a session needs a client id: set clientID, or leave sessionExpiry and cleanStart")
    }
    if let maximumPacketSize, !(1...268_435_460).contains(maximumPacketSize) {
      throw .invalid("a maximum packet size of \(maximumPacketSize) is not one of 1 to 268,435,460 bytes")
    }
  }

  private static func check(_ text: String, _ name: String) throws(ConnectionError) {
    if text.utf8.count > TopicText.maximumBytes || TopicText.firstForbidden(in: text) != nil {
      throw .invalid("the \(name) holds a control character or more than 65,535 bytes")
    }
  }
}

extension Duration {
  /// Whole seconds, rounded up.
  var wholeSeconds: Int {
    let (seconds, attoseconds) = components
    return Int(clamping: attoseconds > 0 && seconds < .max ? seconds + 1 : seconds)
  }
}
