import Testing

@testable import MQTT

/// Keeps the books of what a machine does, and finds what no machine may do.
struct ConnectionLedger {
  typealias Instant = ContinuousClock.Instant

  let hosts: Int
  let initial: Duration
  let maximum: Duration
  private(set) var fault: String?
  private var isOpen = false
  private var isAsking = false
  private var last = ConnectionState.idle
  private var attempt = 0
  /// Waits since the last healthy link.
  private var waits = 0
  private var visited: [Endpoint] = []
  /// How the hosts of this round refused for good.
  private var refusals: [ReasonCode] = []
  private var versions = VersionLedger()
  private var connectedAt: Instant?

  init(hosts: Int, initial: Duration, maximum: Duration) {
    (self.hosts, self.initial, self.maximum) = (hosts, initial, maximum)
  }

  /// Notes one step: what happened, and what the machine made of it.
  mutating func note(
    _ event: WalkEvent, at now: Instant, _ actions: [ConnectionMachine.Action], _ machine: ConnectionMachine
  ) {
    if isClosed {
      if !actions.isEmpty { note(fault: "something happened after the end") }
      return
    }
    if event == .answered { isAsking = false }
    if let connectedAt, event == .failed, now - connectedAt >= initial * 10 { waits = 0 }
    let versionFault = versions.note(event, actions, machine.phase)
    if let versionFault { note(fault: versionFault) }
    if !actions.isEmpty { countRefusal(event) }
    for (place, action) in actions.enumerated() {
      let isLast = place == actions.count - 1
      switch action {
      case .fetchCredentials:
        if !(isLast && !isAsking && !isOpen) {
          note(fault: "asks for credentials twice, too early or too late")
        }
        isAsking = true
      case .abandonCredentials:
        if !isAsking { note(fault: "abandons credentials that nobody asked for") }
        isAsking = false
      case .resolve:
        if !(isLast && !isAsking && !isOpen) { note(fault: "looks up with something open") }
      case .open:
        if !(isLast && !isAsking && !isOpen) { note(fault: "opens while something is open") }
        isOpen = true
      case .drop:
        if !isOpen { note(fault: "drops what is not open") }
        isOpen = false
      case .report(let state):
        report(state, event, at: now)
      }
    }
    checkPhase(machine, at: now)
  }

  var isClosed: Bool { if case .closed = last { true } else { false } }

  /// Only called for a fault, because its words would cost more than all the checks.
  private mutating func note(fault: String) {
    if self.fault == nil { self.fault = fault }
  }

  private mutating func countRefusal(_ event: WalkEvent) {
    if event == .refusedForGood { refusals.append(.clientIdentifierNotValid) }
    if event == .refusedVersion, versions.isHopeless { refusals.append(.unsupportedProtocolVersion) }
  }

  private mutating func report(_ state: ConnectionState, _ event: WalkEvent, at now: Instant) {
    switch (last, state) {
    case (.idle, .connecting), (.connecting, .connecting), (.waiting, .connecting), (.connecting, .connected),
      (.connecting, .waiting), (.connected, .waiting), (_, .closed):
      break
    default: note(fault: "\(state) after \(last)")
    }
    switch state {
    case .idle: note(fault: "idle again")
    case .connecting(let endpoint, let number):
      attempt += 1
      if number != attempt { note(fault: "attempt \(number) is number \(attempt)") }
      if case .connecting = last {} else { (visited, refusals) = ([], []) }
      if visited.contains(endpoint) { note(fault: "\(endpoint) twice in a round") }
      visited.append(endpoint)
    case .connected:
      attempt = 0
      connectedAt = now
    case .waiting(let delay, _):
      if case .connecting = last {
        if visited.count != hosts { note(fault: "rests before all hosts were tried") }
        if refusals.count >= hosts { note(fault: "rests though every host refused for good") }
      }
      var expected = initial
      for _ in 0..<waits { expected = min(expected * 2, maximum) }
      waits += 1
      if delay != expected { note(fault: "waits \(delay), not \(expected)") }
      connectedAt = nil
    case .closed(let cause):
      if event == .close {
        if cause != nil { note(fault: "closes with \(String(describing: cause))") }
      } else {
        if refusals.count != hosts { note(fault: "gives up with \(refusals.count) refusals") }
        if cause != refusals.first.map({ .refused($0) }) {
          note(fault: "gives up with \(String(describing: cause))")
        }
      }
      connectedAt = nil
    }
    last = state
  }

  private mutating func checkPhase(_ machine: ConnectionMachine, at now: Instant) {
    let (isIdle, mayBeOpen) =
      switch machine.phase {
      case .idle, .closed: (true, false)
      case .connected: (true, true)
      case .opening, .greeting: (false, true)
      case .authenticating, .resolving, .waiting: (false, false)
      }
    if isOpen != mayBeOpen { note(fault: "open is \(isOpen) in \(machine.phase)") }
    if case .authenticating = machine.phase {
      if !isAsking { note(fault: "waits for credentials that nobody asked for") }
    }
    if isIdle {
      if machine.deadline != nil { note(fault: "a deadline in \(machine.phase)") }
    } else {
      if !(machine.deadline.map { $0 > now } == true) { note(fault: "nothing ends \(machine.phase)") }
    }
    let reported =
      switch (machine.phase, last) {
      case (.idle, .idle), (.connected, .connected), (.waiting, .waiting), (.closed, .closed),
        (.authenticating, .connecting), (.resolving, .connecting), (.opening, .connecting),
        (.greeting, .connecting):
        true
      default: false
      }
    if !reported { note(fault: "\(machine.phase) is reported as \(last)") }
  }
}
