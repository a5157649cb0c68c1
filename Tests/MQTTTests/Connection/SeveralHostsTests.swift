import Signals
import Testing

@testable import MQTT

/// Several hosts, as the machine takes them in turn.
struct SeveralHostsTests {
  private let one = MachineDriver.one
  private let two = MachineDriver.two
  private let broken = MachineDriver.broken
  private let denied = ConnectionError.refused(.notAuthorized)

  /// A machine of the hosts a, b and c that has begun with a.
  private func started(_ change: (inout ConnectionOptions) -> Void = { _ in }) -> MachineDriver {
    var driver = MachineDriver(["a", "b", "c"], change)
    driver.handle(.connect)
    return driver
  }

  @Test("A round tries every address of every host without a delay, then waits with the last cause")
  func round() {
    var driver = started()
    #expect(driver.actions == [driver.connecting("a", 1), driver.resolve("a")])
    driver.resolved([one, two])
    #expect(driver.handle(.failed(broken)).last == .open(two, .v5, cleanStart: true))
    driver.handle(.failed(broken))
    #expect(driver.actions == [.drop(broken), driver.connecting("b", 2), driver.resolve("b")])
    driver.unresolved()
    #expect(driver.actions == [driver.connecting("c", 3), driver.resolve("c")])
    let last = ConnectionError.unreachable(address: "c", reason: "test")
    #expect(driver.unresolved(last) == [MachineDriver.waiting(1, last)])
    driver.pass()
    #expect(driver.actions == [driver.connecting("a", 4), driver.resolve("a")])
  }

  @Test("When a link is lost the next round begins with the host that gave it")
  func failOver() {
    var driver = started()
    driver.unresolved()
    driver.accept()
    #expect(driver.machine.endpoint == driver.endpoint("b"))
    _ = driver.lose(after: .seconds(60))
    #expect(driver.actions == [driver.connecting("b", 1), driver.resolve("b")])
    driver.unresolved()
    driver.unresolved()
    #expect(driver.actions == [driver.connecting("a", 3), driver.resolve("a")])
    driver.unresolved()
    driver.pass()
    #expect(driver.actions == [driver.connecting("b", 4), driver.resolve("b")])
  }

  @Test("A host that refuses for good stops the connection only when all others do")
  func refusals() {
    var driver = started()
    driver.greet()
    driver.handle(.refused(.notAuthorized))
    #expect(driver.actions == [.drop(denied), driver.connecting("b", 2), driver.resolve("b")])
    driver.unresolved()
    driver.greet()
    #expect(driver.handle(.refused(.notAuthorized)).last == MachineDriver.waiting(1, denied))

    driver.pass()
    for code in [ReasonCode.clientIdentifierNotValid, .notAuthorized, .notAuthorized] {
      driver.greet()
      driver.handle(.refused(code))
    }
    #expect(driver.actions == [.drop(denied), .report(.closed(.refused(.clientIdentifierNotValid)))])
  }

  @Test("A broker that names another server is left for the next host", arguments: [0x9C, 0x9D] as [UInt8])
  func redirection(_ code: UInt8) {
    let code = ReasonCode(rawValue: code)
    var driver = started()
    driver.greet([one, two])
    driver.handle(.refused(code))
    #expect(driver.actions == [.drop(.refused(code)), driver.connecting("b", 2), driver.resolve("b")])
    driver.greet()
    driver.handle(.accepted(Session()))
    #expect(driver.lose(after: .seconds(60), .disconnected(code))?.1 == .disconnected(code))
    #expect(driver.actions == [driver.connecting("c", 1), driver.resolve("c")])
  }

  @Test("A single broker that moved ends the connection; one that names another server is asked again")
  func redirectionOfOne() {
    let (another, moved) = (ReasonCode(rawValue: 0x9C), ReasonCode(rawValue: 0x9D))
    var driver = MachineDriver()
    driver.handle(.connect)
    driver.accept()
    #expect(driver.lose(after: .seconds(60), .disconnected(another)) != nil)
    var refused = driver
    refused.greet()
    #expect(refused.handle(.refused(moved)).last == .report(.closed(.refused(moved))))
    driver.accept()
    #expect(driver.handle(.failed(.disconnected(moved))).last == .report(.closed(.disconnected(moved))))
  }

  @Test("A host that knows only MQTT 3.1.1 does not keep the others from MQTT 5")
  func fallbackOfOne() {
    var driver = started()
    driver.greet()
    #expect(driver.handle(.refused(.unsupportedProtocolVersion)).last == .open(one, .v311, cleanStart: true))
    driver.handle(.failed(broken))
    #expect(driver.resolved() == [.open(one, .v5, cleanStart: true)])
    driver.handle(.opened)
    driver.handle(.accepted(Session()))
    #expect(driver.machine.session?.isFallback == false)
  }

  @Test("A session that another host kept is not taken for the one of the last link")
  func sessionElsewhere() {
    var kept = Session()
    kept.isPresent = true
    var driver = started {
      $0.sessionExpiry = .seconds(60); $0.cleanStart = false
    }
    driver.accept(kept)
    #expect(driver.machine.session?.isPresent == true, "what an earlier program left is wanted")
    _ = driver.lose(after: .seconds(60))
    driver.accept(kept)
    #expect(driver.machine.session?.isPresent == true)
    _ = driver.lose(after: .seconds(60))
    driver.unresolved()
    driver.accept(kept)
    #expect(driver.machine.session?.isPresent == false)
    #expect(driver.machine.session?.ignoredCleanStart == false)
  }

  @Test("A host that drops each link soon does not keep the others from being tried")
  func flappingHost() {
    var driver = started()
    for _ in 0..<FlapDetector.limit {
      driver.accept()
      #expect(driver.machine.endpoint == driver.endpoint("a"))
      _ = driver.lose(after: .seconds(1), .closedByBroker)
    }
    #expect(driver.actions.last == driver.resolve("b"))
  }
}
