import Signals

/// The life of a connection as a value: what happened goes in, what to do comes out.
///
/// It knows no thread, socket or clock. A round tries every host: credentials are asked for, the name is looked up,
/// its addresses are opened one by one, and the broker accepts or refuses. A round without a link is followed by a
/// wait that grows from round to round; a link that held for ten times the first bound starts the growth anew.
struct ConnectionMachine {
  typealias Instant = ContinuousClock.Instant

  enum Event {
    case connect
    /// The answer to ``Action/fetchCredentials(ticket:)``.
    case credentials(Result<Credentials, ConnectionError>, ticket: Int)
    /// The answer to ``Action/resolve(_:ticket:)``.
    case resolved(Result<[Address], ConnectionError>, ticket: Int)
    /// The socket is connected: CONNECT can go out.
    case opened
    case accepted(Session)
    case refused(ReasonCode)
    /// The attempt, or the link, is broken.
    case failed(ConnectionError)
    /// The ``deadline`` may have passed.
    case tick
    case close(ConnectionError?)
  }

  enum Action: Equatable {
    /// Ask ``ConnectionOptions/credentials``. An answer with an older ticket is ignored.
    case fetchCredentials(ticket: Int)
    /// Nobody waits for the credentials any longer.
    case abandonCredentials
    /// Look the host up. An answer with an older ticket is ignored.
    case resolve(Endpoint, ticket: Int)
    /// Open a link to the address with a fresh handle, as ``credentials`` if there are any; for TLS, it is a name that
    /// may have to be looked up.
    case open(Address, ProtocolVersion, cleanStart: Bool)
    /// Throw the handle away.
    case drop(ConnectionError?)
    case report(ConnectionState)
  }

  enum Phase: Equatable {
    case idle
    case authenticating(until: Instant)
    case resolving(until: Instant)
    case opening(until: Instant)
    case greeting(until: Instant)
    case connected(since: Instant)
    case waiting(until: Instant)
    case closed
  }

  private(set) var phase = Phase.idle
  /// What the closure gave for the present host; nil when there is no closure.
  private(set) var credentials: Credentials?
  /// What the last broker to accept the connection said.
  private(set) var session: Session?
  private let options: ConnectionOptions
  private var round: HostRound
  private var flaps: FlapDetector
  /// What each host is asked for; one that knows only MQTT 3.1.1 does not keep the others from MQTT 5.
  private var versions: [VersionChoice]
  /// How many hosts were tried since the last link.
  private var attempt = 0
  /// How many waits there were since the last healthy link.
  private var retries = 0
  private var ticket = 0
  /// What is left to try of the present host, the one that is tried now in front.
  private var addresses: ArraySlice<Address> = []
  private var isCleanStart = true
  /// Who gave the last link.
  private var linkedHost: Int?

  /// `options` must have passed their check.
  init(_ options: ConnectionOptions) {
    self.options = options
    round = HostRound(count: options.endpoints.count)
    flaps = FlapDetector(patience: options.backoff.longestDelay(beforeRetry: 1).bounded * 10)
    versions = options.endpoints.map { _ in VersionChoice(options.version) }
  }

  /// The host that is tried, or connected to.
  var endpoint: Endpoint { options.endpoints[round.host] }

  var isConnected: Bool {
    if case .connected = phase { true } else { false }
  }

  /// When ``Event/tick`` is due.
  var deadline: Instant? {
    switch phase {
    case .authenticating(let until), .resolving(let until), .opening(let until), .greeting(let until),
      .waiting(let until):
      until
    case .idle, .connected, .closed: nil
    }
  }

  mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    switch (event, phase) {
    case (_, .closed): []
    case (.close(let cause), _): close(cause)
    case (.connect, .idle): beginRound(at: now)
    case (.credentials(let answer, let ticket), .authenticating(let until)) where ticket == self.ticket:
      take(answer, until: until, at: now)
    case (.resolved(let answer, let ticket), .resolving(let until)) where ticket == self.ticket:
      take(answer, until: until, at: now)
    case (.opened, .opening(let until)): greet(until: until)
    case (.accepted(let session), .greeting): accept(session, at: now)
    case (.refused(let code), .greeting): refuse(code, at: now)
    case (.failed(let cause), .opening): failAddress(cause, at: now)
    case (.failed(let cause), .greeting): failGreeting(cause, at: now)
    case (.failed(let cause), .connected(let since)): lose(cause, since: since, at: now)
    case (.tick, _): tick(at: now)
    default: []
    }
  }

  // MARK: Toward a link

  private mutating func beginRound(at now: Instant) -> [Action] {
    round.begin()
    return visit(at: now)
  }

  private mutating func visit(at now: Instant) -> [Action] {
    attempt += 1
    credentials = nil
    versions[round.host].beginVisit()
    let until = now + options.connectDeadline.bounded
    let report = Action.report(.connecting(endpoint, attempt: attempt))
    guard options.credentials != nil else { return [report] + locate(until: until) }
    ticket += 1
    phase = .authenticating(until: until)
    return [report, .fetchCredentials(ticket: ticket)]
  }

  private mutating func take(
    _ answer: Result<Credentials, ConnectionError>, until: Instant, at now: Instant
  ) -> [Action] {
    switch answer {
    case .success(let credentials):
      self.credentials = credentials
      return locate(until: until)
    case .failure(let cause):
      // Nothing is left to abandon.
      phase = .resolving(until: until)
      return failHost(cause, isFinal: false, at: now)
    }
  }

  private mutating func locate(until: Instant) -> [Action] {
    switch endpoint {
    case .unix(let path):
      return open([Address(host: path, port: 0)], until: until)
    case .tcp(let host, let port) where options.connectsByName:
      return open([Address(host: host, port: port)], until: until)
    case .tcp:
      ticket += 1
      phase = .resolving(until: until)
      return [.resolve(endpoint, ticket: ticket)]
    }
  }

  private mutating func take(
    _ answer: Result<[Address], ConnectionError>, until: Instant, at now: Instant
  ) -> [Action] {
    switch answer {
    case .success(let found) where found.isEmpty:
      failHost(.unresolved(host: "\(endpoint)", reason: "it has no address"), isFinal: false, at: now)
    case .success(let found): open(found[...], until: until)
    case .failure(let cause): failHost(cause, isFinal: false, at: now)
    }
  }

  private mutating func open(_ candidates: ArraySlice<Address>, until: Instant) -> [Action] {
    addresses = candidates
    versions[round.host].beginAddress()
    return openFirst(until: until)
  }

  private mutating func openFirst(until: Instant) -> [Action] {
    guard let address = addresses.first else { return [] }
    phase = .opening(until: until)
    // Only the first connect drops what an earlier program left; a reconnect wants its own session back.
    isCleanStart = options.cleanStart && (options.sessionExpiry <= .zero || linkedHost == nil)
    return [.open(address, versions[round.host].version, cleanStart: isCleanStart)]
  }

  private mutating func greet(until: Instant) -> [Action] {
    phase = .greeting(until: until)
    return []
  }

  private mutating func accept(_ session: Session, at now: Instant) -> [Action] {
    var session = session
    session.fallback = versions[round.host].fallback
    versions[round.host].accept()
    // The broker has to close such a link itself (MQTT 5, 3.2.2.1.1); believing it would lose subscriptions.
    session.ignoredCleanStart = session.isPresent && isCleanStart
    // What another host kept may be older than the last link; subscribing anew is right in any case.
    let isElsewhere = linkedHost.map { $0 != round.host } ?? false
    if session.ignoredCleanStart || isElsewhere { session.isPresent = false }
    phase = .connected(since: now)
    attempt = 0
    addresses = []
    linkedHost = round.host
    round.succeeded()
    self.session = session
    return [.report(.connected(session))]
  }

  // MARK: Failure

  private mutating func refuse(_ code: ReasonCode, at now: Instant) -> [Action] {
    let cause = ConnectionError.refused(code)
    if code == .unsupportedProtocolVersion {
      switch versions[round.host].refuse() {
      case .askAgain: return askAgain(cause, at: now)
      case .later: return failAddress(cause, at: now)
      case .final: return failHost(cause, isFinal: true, at: now)
      }
    }
    if code.rawValue == Redirection.useAnotherServer {
      return failHost(cause, isFinal: false, at: now)
    }
    if options.credentials != nil, code == .badUserNameOrPassword || code == .notAuthorized {
      // A token may have expired; the next visit asks for another one.
      return failHost(cause, isFinal: false, at: now)
    }
    return code.isTransient ? failAddress(cause, at: now) : failHost(cause, isFinal: true, at: now)
  }

  private mutating func failGreeting(_ cause: ConnectionError, at now: Instant) -> [Action] {
    // Closed, reset, or something that is no CONNACK; what TLS is at odds with has nothing to do with the version.
    if case .linkLost = cause, versions[round.host].endWithoutAnswer() { return askAgain(cause, at: now) }
    return failAddress(cause, at: now)
  }

  /// Asks the same address for another version.
  private mutating func askAgain(_ cause: ConnectionError, at now: Instant) -> [Action] {
    [.drop(cause)] + openFirst(until: now + options.connectDeadline.bounded)
  }

  private mutating func failAddress(_ cause: ConnectionError, at now: Instant) -> [Action] {
    let rest = addresses.dropFirst()
    if rest.isEmpty { return failHost(cause, isFinal: false, at: now) }
    return [.drop(cause)] + open(rest, until: now + options.connectDeadline.bounded)
  }

  private mutating func failHost(_ cause: ConnectionError, isFinal: Bool, at now: Instant) -> [Action] {
    if round.host == linkedHost { flaps.connectFailed() }
    switch round.failed(cause, isFinal: isFinal) {
    case .goOn: return leave(cause) + visit(at: now)
    case .rest: return wait(cause, at: now)
    case .giveUp(let first): return close(first, dropping: cause)
    }
  }

  private mutating func lose(_ cause: ConnectionError, since: Instant, at now: Instant) -> [Action] {
    let bound = options.backoff.longestDelay(beforeRetry: retries + 1).bounded
    if flaps.linkEnded(after: now - since, cause, bound: bound) { retries = 0 }
    let redirection = Redirection(cause)
    if redirection == .moved, options.endpoints.count == 1 { return close(cause) }
    if redirection != nil || flaps.isFlapping { round.turnAway() }
    // Without an id of its own it gets another one with each connect.
    let isIDInUse = flaps.isFlapping && !options.clientID.isEmpty
    return wait(isIDInUse ? .clientIDInUse(options.clientID) : cause, at: now)
  }

  private mutating func wait(_ cause: ConnectionError, at now: Instant) -> [Action] {
    retries += 1
    // Whatever generator of random numbers it has, a connection that fails at once must not spin.
    let delay = max(options.backoff.delay(beforeRetry: retries), ConnectionOptions.shortestBackoff)
    let left = leave(cause)
    phase = .waiting(until: now + delay.bounded)
    return left + [.report(.waiting(delay, cause: cause))]
  }

  private mutating func close(_ cause: ConnectionError?) -> [Action] {
    close(cause, dropping: cause)
  }

  private mutating func close(_ cause: ConnectionError?, dropping end: ConnectionError?) -> [Action] {
    let left = leave(end)
    phase = .closed
    return left + [.report(.closed(cause))]
  }

  /// Ends what the present phase holds; the caller enters another one.
  private mutating func leave(_ cause: ConnectionError?) -> [Action] {
    let held: [Action] =
      switch phase {
      case .authenticating: [.abandonCredentials]
      case .opening, .greeting, .connected: [.drop(cause)]
      case .idle, .resolving, .waiting, .closed: []
      }
    addresses = []
    credentials = nil
    return held
  }

  private mutating func tick(at now: Instant) -> [Action] {
    guard let deadline, now >= deadline else { return [] }
    let limit = options.connectDeadline
    switch phase {
    case .authenticating:
      let what = "no credentials for \(endpoint) within \(limit); answer sooner or raise connectDeadline"
      return failHost(.timedOut(what), isFinal: false, at: now)
    case .resolving:
      let what = "no address for \(endpoint) within \(limit); check the network and its name servers"
      return failHost(.timedOut(what), isFinal: false, at: now)
    case .opening:
      let what = "no connection to \(endpoint) within \(limit); check that the host can be reached"
      return failAddress(.timedOut(what), at: now)
    case .greeting:
      versions[round.host].timeOut()
      let what = "no CONNACK from \(endpoint) within \(limit); check that a broker listens there"
      return failAddress(.timedOut(what), at: now)
    case .waiting: return beginRound(at: now)
    case .idle, .connected, .closed: return []
    }
  }
}

/// A broker that sends its clients to another one (MQTT 5, 4.13).
private enum Redirection {
  static let useAnotherServer: UInt8 = 0x9C
  static let serverMoved: UInt8 = 0x9D

  case elsewhere
  case moved

  init?(_ cause: ConnectionError) {
    switch cause {
    case .disconnected(let code) where code.rawValue == Self.useAnotherServer: self = .elsewhere
    case .disconnected(let code) where code.rawValue == Self.serverMoved: self = .moved
    default: return nil
    }
  }
}

extension ConnectionMachine {
  /// Whether an attempt is under way.
  var isTrying: Bool {
    switch phase {
    case .authenticating, .resolving, .opening, .greeting: true
    case .idle, .connected, .waiting, .closed: false
    }
  }

  /// Whether a link is being opened.
  var isOpening: Bool {
    if case .opening = phase { true } else { false }
  }

  /// Whether the socket is connected, so that the library may read and write.
  var canWrite: Bool {
    switch phase {
    case .greeting, .connected: true
    default: false
    }
  }
}

extension ConnectionMachine.Event {
  /// Why an attempt has failed, if this says so.
  var failure: ConnectionError? {
    switch self {
    case .failed(let cause), .credentials(.failure(let cause), _), .resolved(.failure(let cause), _): cause
    case .refused(let code): .refused(code)
    default: nil
    }
  }
}
