import Signals
import Testing

@testable import MQTT

/// What can happen to a machine, without the details that change nothing.
enum WalkEvent: CaseIterable {
  case connect, answered, noCredentials, lateCredentials, found, foundNothing, notFound, lateAddresses, opened
  case accepted, refused, refusedForGood, refusedVersion, useAnother, failed, failedLate, early, tick, close
}

/// All sequences of events of some length, with the books kept.
struct ConnectionWalk {
  let options: ConnectionOptions
  private(set) var steps = 0
  private(set) var faults: [String] = []
  private(set) var phases: Set<String> = []

  init(_ options: ConnectionOptions) {
    self.options = options
  }

  mutating func run(depth: Int) {
    let ledger = ConnectionLedger(
      hosts: options.endpoints.count, initial: options.backoff.initial, maximum: options.backoff.maximum)
    walk(Place(machine: ConnectionMachine(options), ledger: ledger), depth: depth)
  }

  private struct Place {
    var machine: ConnectionMachine
    var ledger: ConnectionLedger
    var now = ContinuousClock.now
    /// The ticket that an answer needs, and the last one given away.
    var ticket = 0
    var path: [WalkEvent] = []
  }

  private mutating func walk(_ place: Place, depth: Int) {
    guard depth > 0, faults.count < 10 else { return }
    for event in WalkEvent.allCases {
      var next = place
      next.path.append(event)
      // Elsewhere a deadline would pass unseen, which the loop does not let happen.
      if event == .failedLate, next.machine.isConnected { next.now += .seconds(10_000) }
      if event == .tick { next.now = max(next.machine.deadline ?? next.now, next.now) }
      let phase = next.machine.phase
      let actions = next.machine.handle(machineEvent(event, next), at: next.now)
      let isIgnored = actions.isEmpty && phase == next.machine.phase
      for action in actions {
        switch action {
        case .fetchCredentials(let ticket), .resolve(_, let ticket):
          if ticket != next.ticket + 1 { note("ticket \(ticket) after \(next.ticket)", next.path) }
          next.ticket = ticket
        default: break
        }
      }
      next.ledger.note(ledgerEvent(event), at: next.now, actions, next.machine)
      if let fault = next.ledger.fault { note(fault, next.path) }
      if event == .lateCredentials || event == .lateAddresses, !isIgnored {
        note("an answer to an earlier question counts", next.path)
      }
      if case .waiting = place.machine.phase, event == .tick, actions.isEmpty {
        note("a wait that does not end", next.path)
      }
      steps += 1
      phases.insert(next.machine.phase.name)
      // What changes nothing leads to nothing new. After the end one more step shows that it is the end.
      if !isIgnored { walk(next, depth: next.ledger.isClosed ? 1 : depth - 1) }
    }
  }

  private mutating func note(_ fault: String, _ path: [WalkEvent]) {
    faults.append("\(fault): \(path)")
  }

  private func ledgerEvent(_ event: WalkEvent) -> WalkEvent {
    switch event {
    case .noCredentials: .answered
    case .failedLate: .failed
    default: event
    }
  }

  private func machineEvent(_ event: WalkEvent, _ place: Place) -> ConnectionMachine.Event {
    let broken = MachineDriver.broken
    switch event {
    case .connect: return .connect
    case .answered: return .credentials(.success(Credentials(user: "ann")), ticket: place.ticket)
    case .noCredentials:
      return .credentials(.failure(.credentialsUnavailable("test")), ticket: place.ticket)
    case .lateCredentials: return .credentials(.success(Credentials(user: "bob")), ticket: place.ticket - 1)
    case .found: return .resolved(.success([MachineDriver.one, MachineDriver.two]), ticket: place.ticket)
    case .foundNothing: return .resolved(.success([]), ticket: place.ticket)
    case .notFound: return .resolved(.failure(broken), ticket: place.ticket)
    case .lateAddresses: return .resolved(.success([MachineDriver.two]), ticket: place.ticket - 1)
    case .opened: return .opened
    case .accepted: return .accepted(Session())
    case .refused: return .refused(.serverUnavailable)
    case .refusedForGood: return .refused(.clientIdentifierNotValid)
    case .refusedVersion: return .refused(.unsupportedProtocolVersion)
    case .useAnother: return .refused(ReasonCode(rawValue: 0x9C))
    case .failed, .failedLate: return .failed(broken)
    case .early, .tick: return .tick
    case .close: return .close(nil)
    }
  }
}

extension ConnectionMachine.Phase {
  /// Not what the language prints of a case, which takes longer than all the rest of a step.
  fileprivate var name: String {
    switch self {
    case .idle: "idle"
    case .authenticating: "authenticating"
    case .resolving: "resolving"
    case .opening: "opening"
    case .greeting: "greeting"
    case .connected: "connected"
    case .waiting: "waiting"
    case .closed: "closed"
    }
  }
}

@Suite(.timeLimit(.minutes(5)))
struct ConnectionWalkTests {
  @Test(
    "Whatever happens in whatever order, a connection opens one link at a time, tells each step, and never stands still",
    arguments: [
      ["a"], ["a", "b"], ["/s"], ["/s", "/t"], ["a", "/s"],
    ], [false, true])
  func walks(hosts: [String], asksForCredentials: Bool) {
    var options = ConnectionOptions(host: "a")
    options.endpoints = hosts.map { $0.hasPrefix("/") ? .unix(path: $0) : .tcp(host: $0, port: 1) }
    options.backoff = Backoff(initial: .seconds(1), maximum: .seconds(3), jitter: 0)
    if asksForCredentials { options.credentials = { Credentials(user: "ann") } }
    var walk = ConnectionWalk(options)
    walk.run(depth: 8)
    #expect(walk.faults.isEmpty, "\(walk.faults.joined(separator: "\n"))")
    #expect(walk.steps > 1_000)
    #expect(walk.phases.count >= (hosts[0].hasPrefix("/") ? 6 : 7), "\(walk.phases)")
  }
}
