#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Why a connection, or a call on one, did not do what it was asked to.
public enum ConnectionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// An option, a message or a subscription that could not be sent as it is.
  case invalid(String)
  /// Something that this version of the module does not do.
  case unsupported(String)
  /// There is no connection now. Subscriptions and QoS 0 messages don't wait for one.
  case notConnected
  /// The connection was closed, or never will be opened again.
  case closed
  /// The name of the broker has no address.
  case unresolved(host: String, reason: String)
  /// No connection could be made to this address.
  case unreachable(address: String, reason: String)
  /// This broker could not be connected to securely, or answers in TLS where none was asked for.
  case tls(TLSFailure, broker: String)
  /// The broker did not answer in time; the text says what was waited for.
  case timedOut(String)
  /// The broker refused the connection.
  case refused(ReasonCode)
  /// The broker ended the connection and said why (MQTT 5).
  case disconnected(ReasonCode)
  /// The link broke; the text says how it showed.
  case linkLost(String)
  /// Handlers are so slow that the inbox stayed full; the message of this topic had no room and was not acknowledged.
  case inboxOverflow(topic: String)
  /// Another client connects with this client id again and again, as far as can be seen: the broker says so, or it
  /// closes link after link without a reason, each soon after it was accepted.
  case clientIDInUse(String)
  /// ``ConnectionOptions/credentials`` threw; the text is that of its error.
  case credentialsUnavailable(String)
  /// The broker refused a publish.
  case publishRefused(Topic, ReasonCode)
  /// The broker ends the connection at this message, each time that it is sent; the reason is the broker's, if it gave
  /// one (MQTT 5). The message is not sent again.
  case poison(Topic, ReasonCode?)
  /// The expiry of a message passed before it could be sent: see ``PublishResult/expired``.
  case expired(Topic)
  /// The outbox is full; nothing was queued.
  case outboxFull(Topic)
  /// The broker answered a subscribe or an unsubscribe with something that is no answer.
  case badAnswer(String)

  /// One line that names the fault and the mend.
  public var description: String {
    switch self {
    case .invalid(let problem): problem
    case .unsupported(let what): "not supported: \(what)"
    case .notConnected: "not connected to the broker: try again when the state is connected"
    case .closed: "the connection is closed: make a new one"
    case .unresolved(let host, let reason): "no address for \"\(host)\": \(reason); check the host name"
    case .unreachable(let address, let reason):
      "can't connect to \(address): \(reason); check that a broker listens there"
    case .tls(let failure, let broker): "no connection to \(broker): \(failure)"
    case .timedOut(let what): "timed out: \(what)"
    case .refused(let code): "the broker refused the connection: \(code)\(code.mendOfRefusal)"
    case .disconnected(.success): "the broker ended the connection: Normal disconnection (0)"
    case .disconnected(let code): "the broker ended the connection: \(code)\(code.mendOfDisconnection)"
    case .linkLost(let how): "the connection to the broker broke: \(how)"
    case .inboxOverflow(let topic):
      "the inbox is full and the handlers are too slow, the message on \"\(topic)\" was not taken: "
        + "hand slow work to another thread or raise inboxLimits"
    case .clientIDInUse(let id):
      "another client uses the id \"\(id)\": give each client its own "
        + "(or the broker closes the connection after every connect)"
    case .credentialsUnavailable(let reason):
      "no credentials to connect with: \(reason); check what the credentials closure asks"
    case .publishRefused(let topic, let code): "the broker refused the message on \"\(topic)\": \(code)"
    case .poison(let topic, let code):
      "the broker ends the connection at the message on \"\(topic)\"\(code.map { ": \($0)" } ?? ""); "
        + "check its topic, size, payload and properties, and whether this client may publish it"
    case .expired(let topic):
      "the message on \"\(topic)\" expired before it could be sent: raise its expiry, or publish while connected"
    case .badAnswer(let what): "the broker is at fault: \(what)"
    case .outboxFull(let topic):
      "the outbox is full, the message on \"\(topic)\" was not queued: send slower or raise outboxLimits"
    }
  }

  /// The broker ended the link without a word; a client id that another client takes over looks like this, too.
  static let closedByBroker = ConnectionError.linkLost("the broker closed it")

  /// How it shows that the broker ended the link without a word: it closed or reset it, or, in TLS, did so without the
  /// goodbye of that.
  static let endsByBroker: Set<ConnectionError> = [
    closedByBroker, .linkLost(systemError(ECONNRESET)), .linkLost(systemError(EPIPE)),
    .linkLost(systemError(EPROTO)),
  ]
}
