import Testing

@testable import MQTT

/// Keeps the books of which versions a machine that wants MQTT 5 asks its hosts for.
struct VersionLedger {
  private var host: Endpoint?
  private var address: Address?
  /// Whether the next link is the first one of a visit.
  private var isVisitNew = false
  /// What the present address was asked for, and what it refused by name.
  private var asked: [ProtocolVersion] = []
  private var refused: Set<ProtocolVersion> = []
  /// By host: what it said by name that it takes, or what to begin with for once.
  private var known: [Endpoint: ProtocolVersion] = [:]
  private var next: [Endpoint: ProtocolVersion] = [:]
  private var modern: Set<Endpoint> = []
  private var isGreeting = false

  /// Whether what happened last was that an address had refused every version by name.
  private(set) var isHopeless = false

  /// Takes in what happened and gives what is wrong about the answer.
  mutating func note(
    _ event: WalkEvent, _ actions: [ConnectionMachine.Action], _ phase: ConnectionMachine.Phase
  ) -> String? {
    let fault = isGreeting ? answer(event, actions) : nil
    isHopeless = refused.count == 2
    var faults = [fault]
    for action in actions { faults.append(take(action)) }
    if case .greeting = phase { isGreeting = true } else { isGreeting = false }
    return faults.compactMap(\.self).first
  }

  private mutating func answer(_ event: WalkEvent, _ actions: [ConnectionMachine.Action]) -> String? {
    guard let host, let address, let version = asked.last, !actions.isEmpty else { return nil }
    let other: ProtocolVersion = version == .v5 ? .v311 : .v5
    let mayGuess = !modern.contains(host) && known[host, default: .v5] == .v5
    var isAskedAgain = false
    switch event {
    case .failed: isAskedAgain = mayGuess && asked.count == 1
    case .tick: next[host] = mayGuess ? other : nil
    case .refusedVersion:
      refused.insert(version)
      if refused.count == 1 { (known[host], next[host]) = (other, nil) }
      isAskedAgain = asked.count == 1
    default: return nil
    }
    guard case .open(address, other, _)? = actions.last else {
      return isAskedAgain ? "does not ask \(host) again after MQTT \(version) and \(event)" : nil
    }
    return isAskedAgain ? nil : "asks \(host) again after MQTT \(version) and \(event)"
  }

  private mutating func take(_ action: ConnectionMachine.Action) -> String? {
    switch action {
    case .report(.connecting(let endpoint, _)):
      host = endpoint
      isVisitNew = true
    case .open(let address, let version, _):
      guard let host else { return "opens a link to nobody" }
      if isVisitNew || address != self.address { (asked, refused) = ([], []) }
      if asked.contains(version) { return "asks \(address) for MQTT \(version) twice" }
      let expected = next[host] ?? known[host, default: .v5]
      if isVisitNew {
        next[host] = nil
        if version != expected { return "begins with MQTT \(version) at \(host), not \(expected)" }
      }
      isVisitNew = false
      self.address = address
      asked.append(version)
    case .report(.connected(let session)):
      guard let host, let version = asked.last else { return "connected to nobody" }
      let fallback: Session.Fallback? =
        version == .v5 ? nil : known[host, default: .v5] == .v311 ? .refused : .unanswered
      if version == .v5 { modern.insert(host) }
      next[host] = nil
      if session.fallback != fallback { return "falls back by \(String(describing: session.fallback))" }
    default: break
    }
    return nil
  }
}
