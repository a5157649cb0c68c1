import Signals

@testable import MQTT

/// A machine with a clock of its own, and the tickets of what it last asked for.
struct MachineDriver {
  static let broken = ConnectionError.linkLost("test")
  static let one = Address(host: "192.0.2.1", port: 1883)
  static let two = Address(host: "192.0.2.2", port: 1883)

  private(set) var machine: ConnectionMachine
  private(set) var now = ContinuousClock.now
  /// What the last event led to.
  private(set) var actions: [ConnectionMachine.Action] = []
  private var credentialsTicket = 0
  private var resolveTicket = 0

  /// Waits are as long as they can be, unless `change` says otherwise.
  init(_ hosts: [String] = ["example"], _ change: (inout ConnectionOptions) -> Void = { _ in }) {
    var options = ConnectionOptions(host: "example")
    options.endpoints = hosts.map { .tcp(host: $0, port: 1883) }
    options.clientID = "me"
    options.backoff = .init(initial: .seconds(1), jitter: 0)
    change(&options)
    machine = ConnectionMachine(options)
  }

  @discardableResult
  mutating func handle(_ event: ConnectionMachine.Event) -> [ConnectionMachine.Action] {
    actions = machine.handle(event, at: now)
    for action in actions {
      if case .fetchCredentials(let ticket) = action { credentialsTicket = ticket }
      if case .resolve(_, let ticket) = action { resolveTicket = ticket }
    }
    return actions
  }

  @discardableResult
  mutating func resolved(_ addresses: [Address] = [one]) -> [ConnectionMachine.Action] {
    handle(.resolved(.success(addresses), ticket: resolveTicket))
  }

  @discardableResult
  mutating func unresolved(_ cause: ConnectionError = broken) -> [ConnectionMachine.Action] {
    handle(.resolved(.failure(cause), ticket: resolveTicket))
  }

  @discardableResult
  mutating func credentials(_ credentials: Credentials) -> [ConnectionMachine.Action] {
    handle(.credentials(.success(credentials), ticket: credentialsTicket))
  }

  @discardableResult
  mutating func noCredentials(_ reason: String) -> [ConnectionMachine.Action] {
    handle(.credentials(.failure(.credentialsUnavailable(reason)), ticket: credentialsTicket))
  }

  /// From a host's turn to its broker's greeting.
  mutating func greet(_ addresses: [Address] = [one]) {
    resolved(addresses)
    handle(.opened)
  }

  mutating func accept(_ session: Session = Session()) {
    greet()
    handle(.accepted(session))
  }

  mutating func advance(_ duration: Duration) {
    now += duration
  }

  /// Waits until the deadline and lets it pass.
  @discardableResult
  mutating func pass() -> [ConnectionMachine.Action] {
    now = machine.deadline ?? now
    return handle(.tick)
  }

  /// A link that held for `life` ends, and the next attempt begins after the wait. Returns that wait and its cause.
  mutating func lose(after life: Duration, _ cause: ConnectionError = broken) -> (Duration, ConnectionError)?
  {
    advance(life)
    guard case .report(.waiting(let delay, let cause))? = handle(.failed(cause)).last else { return nil }
    pass()
    return (delay, cause)
  }

  func endpoint(_ host: String = "example") -> Endpoint { .tcp(host: host, port: 1883) }

  func resolve(_ host: String = "example") -> ConnectionMachine.Action {
    .resolve(endpoint(host), ticket: resolveTicket)
  }

  func connecting(_ attempt: Int) -> ConnectionMachine.Action { connecting("example", attempt) }

  func connecting(_ host: String, _ attempt: Int) -> ConnectionMachine.Action {
    .report(.connecting(endpoint(host), attempt: attempt))
  }

  static func waiting(_ seconds: Int, _ cause: ConnectionError = broken) -> ConnectionMachine.Action {
    .report(.waiting(.seconds(seconds), cause: cause))
  }
}
