public import Signals

/// Everything that a connection needs to know before it connects.
///
/// The password is never printed: not by `description`, not by `dump`, not in an error.
public struct ConnectionOptions: Sendable, CustomStringConvertible, CustomReflectable {
  /// Where the broker listens: one host, or several that are tried in turn.
  ///
  /// A round tries every host once, and each address of its name, without a delay in between; then comes a wait of
  /// ``backoff``, and the next round. When a link is lost, the round begins with the host that gave it. The
  /// connection ends for good only when every host of a round refused it for good.
  ///
  /// The hosts should be doors to one broker, or a cluster that shares its sessions. Brokers that know nothing of
  /// each other serve as well while ``sessionExpiry`` is zero.
  public var endpoints: [Endpoint]

  /// The first of ``endpoints``; setting it makes it the only one.
  public var endpoint: Endpoint {
    get { endpoints.first ?? .tcp(host: "", port: 0) }
    set { endpoints = [newValue] }
  }

  /// Who this client is to the broker. Two clients with the same id push each other out.
  public var clientID: String

  /// The user to log in as.
  public var user: String?

  /// The password of ``user``.
  public var password: String?

  /// Gives the user and password of the next attempt, in place of ``user`` and ``password``: for tokens that expire.
  ///
  /// Called in a task of its own once for each host of a round, before its name is looked up; all addresses of the
  /// host are tried with the answer. The time it takes is part of ``connectDeadline``. What it throws shows as the
  /// cause of the wait, ``ConnectionError/credentialsUnavailable(_:)``, so keep secrets out of its errors; it is
  /// asked again in the next round. A refusal of the credentials does not end the connection either. The task is
  /// cancelled when nobody waits for its answer any longer.
  public var credentials: (@Sendable () async throws -> Credentials)?

  /// How to secure the connection; nil for no TLS. The port is that of ``endpoints``, usually 8883.
  public var tls: TLSOptions?

  /// The longest silence before the link is probed; whole seconds, rounded up, 5 s to 65,535 s.
  ///
  /// The answer to a probe waits behind the message that is under way, and libmosquitto notices only whole ones: on a slow
  /// link choose it longer than half the time that the largest message takes, or that one never arrives.
  public var keepAlive: Duration = .seconds(60)

  /// The version to ask for.
  ///
  /// A broker that refuses MQTT 5 by name is spoken to in MQTT 3.1.1; each host by itself. One that has never accepted
  /// MQTT 5, and closes the link or answers with what is no packet of it, is asked for MQTT 3.1.1 at once; one that
  /// stays silent for ``connectDeadline``, with the next attempt, and so on in turn. Because it may just have been
  /// starting up, it is asked for MQTT 5 again when that link is lost: ask for MQTT 3.1.1 here to be spared that.
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

  /// The delays between rounds of attempts to connect, from 1 ms on; by default 1 s, then doubled up to 60 s, and a
  /// random part of that is waited. A link that held for ten times the longest first delay starts anew.
  public var backoff = Backoff(initial: .seconds(1))

  /// How long one attempt may take, from asking for credentials and looking up the name to the broker's answer; more
  /// than zero. Each further address of a name has as long.
  public var connectDeadline: Duration = .seconds(10)

  /// How long a subscribe or an unsubscribe waits for the broker's answer; more than zero.
  public var acknowledgementDeadline: Duration = .seconds(30)

  /// How much may wait to be sent, at least one of each; what goes beyond is refused to the caller.
  public var outboxLimits = QueueSize(count: 100_000, bytes: 64 << 20)

  /// How much may wait for slow handlers, at least one of each.
  ///
  /// When it is full, nothing more is read, so that the broker keeps it, for at most half the ``keepAlive``; then QoS 0
  /// messages without room are dropped and counted, and a QoS 1 message without room ends the link before it is
  /// acknowledged (``ConnectionError/inboxOverflow(topic:)``).
  public var inboxLimits = QueueSize(count: 10_000, bytes: 64 << 20)

  /// What is told what happens, line by line, on a thread of the connection's; no line holds a password.
  ///
  /// While it is so slow that calls pile up, lines are left out, and a later one says how many.
  public var log: (@Sendable (LogLevel, String) -> Void)?

  /// The least that ``log`` is called for.
  public var logLevel = LogLevel.info

  /// How many QoS 1 and 2 messages may be without their acknowledgement at once, 1 to 1,000; never more than
  /// the broker's Receive Maximum.
  ///
  /// MQTT 3.1.1 has no such maximum. There at most 19 of them are of QoS 2, because mosquitto acknowledges and forgets
  /// what goes beyond its `max_inflight_messages` of 20; set the window below that setting where it is smaller.
  public var window = 50

  /// How many QoS 1 and 2 messages the broker may send before it has the acknowledgement of the first: 1 to
  /// 65,535. MQTT 5 only (3.1.2.11.3); in MQTT 3.1.1 the broker decides.
  public var receiveMaximum = 200

  /// The largest packet the broker may send, in bytes; larger messages it leaves out (MQTT 5, 3.1.2.11.4).
  ///
  /// MQTT 3.1.1 has no way to say so, and libmosquitto then takes whatever is announced to it: up to 256 MB at once.
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
    endpoints = [endpoint]
    clientID = Self.randomClientID()
  }

  /// Where and as whom, without the password.
  public var description: String {
    endpoints.map(\.description).joined(separator: ",") + ", MQTT \(version), client \(clientID)"
      + (user.map { ", user \($0)" } ?? "") + (tls.map { ", \($0)" } ?? "")
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
  /// The shortest wait between rounds.
  static let shortestBackoff = Duration.milliseconds(1)

  var keepAliveSeconds: Int { keepAlive.wholeSeconds }

  /// Whether a host is connected to by its name, so that it is not looked up before.
  var connectsByName: Bool { tls != nil }

  /// The same with a user and password that were asked for.
  func with(_ credentials: Credentials?) -> ConnectionOptions {
    guard let credentials else { return self }
    var options = self
    options.user = credentials.user
    options.password = credentials.password
    return options
  }

  /// The first thing that could not be sent as it is.
  func check() throws(ConnectionError) {
    if endpoints.isEmpty { throw .invalid("there is no host to connect to: name one in endpoints") }
    for endpoint in endpoints { try check(endpoint) }
    try tls?.check()
    if clientID.utf8.count > TopicText.maximumBytes || TopicText.firstForbidden(in: clientID) != nil {
      throw .invalid("the client id holds a control character or more than 65,535 bytes")
    }
    try checkLogin()
    if !(5...65_535).contains(keepAliveSeconds) {
      throw .invalid("a keep-alive of \(keepAlive) is not within 5 s to 65,535 s")
    }
    if let will, let problem = will.problem { throw .invalid("the will can't be sent: \(problem)") }
    if !(1...65_535).contains(receiveMaximum) {
      throw .invalid("a receive maximum of \(receiveMaximum) is not one of 1 to 65,535")
    }
    if min(backoff.initial, backoff.maximum) < Self.shortestBackoff {
      throw .invalid("a back-off of less than 1 ms would never rest: set initial and maximum to more")
    }
    if connectDeadline <= .zero {
      throw .invalid("a connect deadline of \(connectDeadline) is none: set more")
    }
    if sessionExpiry < .zero {
      throw .invalid("a session expiry of \(sessionExpiry) is negative: set zero or more")
    }
    if acknowledgementDeadline <= .zero {
      throw .invalid("an acknowledgement deadline of \(acknowledgementDeadline) is none: set more")
    }
    for (name, limits) in [("outboxLimits", outboxLimits), ("inboxLimits", inboxLimits)]
    where limits.count < 1 || limits.bytes < 1 {
      throw .invalid(
        "nothing could pass \(name) of \(limits.count) messages and \(limits.bytes) bytes: set more")
    }
    if !(1...1_000).contains(window) { throw .invalid("a window of \(window) is not one of 1 to 1,000") }
    if clientID.isEmpty, sessionExpiry > .zero || !cleanStart {
      throw .invalid("a session needs a client id: set clientID, or leave sessionExpiry and cleanStart")
    }
    if let maximumPacketSize, !(1...268_435_460).contains(maximumPacketSize) {
      throw .invalid("a maximum packet size of \(maximumPacketSize) is not one of 1 to 268,435,460 bytes")
    }
  }

  private func check(_ endpoint: Endpoint) throws(ConnectionError) {
    switch endpoint {
    case .tcp(let host, let port):
      if host.isEmpty { throw .invalid("the host name is empty") }
      // It would never be found, and among several hosts nobody might notice.
      if host.unicodeScalars.contains(where: {
        $0.properties.isWhitespace || "/?#@[]\\,\"<>".unicodeScalars.contains($0)
      })
        || TopicText.firstForbidden(in: host) != nil
      {
        throw .invalid(
          "the host name holds a space, a control character or one of /?#@[]\\,\"<>: leave that out")
      }
      if !(1...65_535).contains(port) { throw .invalid("port \(port) is not one of 1 to 65535") }
    case .unix(let path):
      // `sun_path` holds 104 bytes on Darwin and 108 on Linux, with the final NUL.
      if path.isEmpty || path.utf8.contains(0) || path.utf8.count > 103 {
        throw .invalid(
          "the socket path \(path.debugDescription) is empty, longer than 103 bytes or holds NUL")
      }
      if tls != nil { throw .unsupported("TLS over a Unix domain socket: leave tls out") }
    }
  }

  private func checkLogin() throws(ConnectionError) {
    if credentials != nil, user != nil || password != nil {
      throw .invalid("there are a fixed user or password and a credentials closure: keep one of them")
    }
    if password != nil, user == nil { throw .invalid("there is a password but no user: set both") }
    guard let user else { return }
    if let problem = Credentials(user: user, password: password).problem { throw .invalid(problem) }
  }
}
