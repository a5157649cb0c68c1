/// The life of a connection as a value: what happened goes in, what to do comes out.
///
/// It knows no thread, socket or clock. Attempts are looked up, opened address by address, refused, accepted and
/// lost; each failure waits for a random part of a bound that doubles (full jitter), and a link that held for
/// ten times the first bound starts the doubling anew.
struct ConnectionMachine {
  typealias Instant = ContinuousClock.Instant

  enum Event {
    case connect
    case resolved([Address])
    case unresolved(ConnectionError)
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
    case resolve(Endpoint)
    /// Open a link to the address with a fresh handle; for TLS, it is a name that may have to be looked up.
    case open(Address, ProtocolVersion, cleanStart: Bool)
    /// Throw the handle away, if there is one.
    case drop(ConnectionError?)
    case report(ConnectionState)
  }

  enum Phase: Equatable {
    case idle
    case resolving(until: Instant)
    case opening(until: Instant)
    case greeting(until: Instant)
    case connected(since: Instant)
    case waiting(until: Instant)
    case closed
  }

  private(set) var phase = Phase.idle
  private let options: ConnectionOptions
  private let random: @Sendable () -> Double
  private var version: ProtocolVersion
  private var attempt = 0
  /// What the next delay is a random part of.
  private var bound: Duration
  private var addresses: ArraySlice<Address> = []
  /// What the last broker to accept the connection said.
  private(set) var session: Session?
  private var wasConnected = false

  /// `random` gives numbers from 0 to 1.
  init(_ options: ConnectionOptions, random: @escaping @Sendable () -> Double = { .random(in: 0...1) }) {
    self.options = options
    self.random = random
    version = options.version
    bound = options.backoff.first
  }

  var isConnected: Bool {
    if case .connected = phase { true } else { false }
  }

  /// When ``Event/tick`` is due.
  var deadline: Instant? {
    switch phase {
    case .resolving(let until), .opening(let until), .greeting(let until), .waiting(let until): until
    case .idle, .connected, .closed: nil
    }
  }

  mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    switch (event, phase) {
    case (_, .closed): []
    case (.close(let cause), _): close(cause)
    case (.connect, .idle): startAttempt(at: now)
    case (.resolved(let found), .resolving):
      found.isEmpty
        ? wait(.unresolved(host: options.endpoint.description, reason: "it has no address"), at: now)
        : open(found[...], at: now)
    case (.unresolved(let cause), .resolving): wait(cause, at: now)
    case (.opened, .opening(let until)): enter(.greeting(until: until))
    case (.accepted(let session), .greeting): accept(session, at: now)
    case (.refused(let code), .greeting): refuse(code, at: now)
    case (.failed(let cause), .opening), (.failed(let cause), .greeting):
      addresses.isEmpty ? wait(cause, at: now) : [.drop(cause)] + open(addresses, at: now)
    case (.failed(let cause), .connected(let since)): lose(cause, since: since, at: now)
    case (.tick, _): tick(at: now)
    default: []
    }
  }

  private mutating func enter(_ phase: Phase) -> [Action] {
    self.phase = phase
    return []
  }

  private mutating func startAttempt(at now: Instant) -> [Action] {
    attempt += 1
    let report = Action.report(.connecting(options.endpoint, attempt: attempt))
    switch options.endpoint {
    case .unix(let path):
      return [report] + open([Address(host: path, port: 0)], at: now)
    case .tcp(let host, let port) where options.tls != nil:
      // Certificates are checked against the name, so the library looks it up by itself.
      return [report] + open([Address(host: host, port: port)], at: now)
    case .tcp:
      phase = .resolving(until: now + options.connectDeadline)
      return [report, .resolve(options.endpoint)]
    }
  }

  private mutating func open(_ candidates: ArraySlice<Address>, at now: Instant) -> [Action] {
    addresses = candidates
    let address = addresses.removeFirst()
    phase = .opening(until: now + options.connectDeadline)
    // Only the first connect drops what an earlier program left; a reconnect wants its own session back.
    let cleanStart = options.sessionExpiry > .zero ? options.cleanStart && !wasConnected : options.cleanStart
    return [.open(address, version, cleanStart: cleanStart)]
  }

  private mutating func accept(_ session: Session, at now: Instant) -> [Action] {
    phase = .connected(since: now)
    attempt = 0
    wasConnected = true
    addresses = []
    var session = session
    session.isFallback = version != options.version
    self.session = session
    return [.report(.connected(session))]
  }

  private mutating func refuse(_ code: ReasonCode, at now: Instant) -> [Action] {
    if code == .unsupportedProtocolVersion, version == .v5 {
      version = .v311
      return [.drop(.refused(code))] + startAttempt(at: now)
    }
    return code.isTransient ? wait(.refused(code), at: now) : close(.refused(code))
  }

  private mutating func lose(_ cause: ConnectionError, since: Instant, at now: Instant) -> [Action] {
    if now - since >= options.backoff.initial * 10 { bound = options.backoff.first }
    return wait(cause, at: now)
  }

  private mutating func wait(_ cause: ConnectionError, at now: Instant) -> [Action] {
    let delay = bound * random()
    bound = min(bound * 2, options.backoff.maximum)
    phase = .waiting(until: now + delay)
    addresses = []
    return [.drop(cause), .report(.waiting(delay, cause: cause))]
  }

  private mutating func close(_ cause: ConnectionError?) -> [Action] {
    phase = .closed
    return [.drop(cause), .report(.closed(cause))]
  }

  private mutating func tick(at now: Instant) -> [Action] {
    guard let deadline, now >= deadline else { return [] }
    switch phase {
    case .waiting:
      return startAttempt(at: now)
    case .resolving:
      return wait(.timedOut("looking up \(options.endpoint); check the network"), at: now)
    default:
      let what = "no answer from the broker at \(options.endpoint) within \(options.connectDeadline)"
      return handle(.failed(.timedOut(what)), at: now)
    }
  }
}
