import Signals
import Testing

@testable import MQTT

struct ConnectionMachineTests {
  private let one = MachineDriver.one
  private let two = MachineDriver.two
  private let broken = MachineDriver.broken

  /// A machine that has just begun to connect.
  private func started(_ change: (inout ConnectionOptions) -> Void = { _ in }) -> MachineDriver {
    var driver = MachineDriver(["example"], change)
    driver.handle(.connect)
    return driver
  }

  private func connected(_ change: (inout ConnectionOptions) -> Void = { _ in }) -> MachineDriver {
    var driver = started(change)
    driver.accept()
    #expect(driver.machine.isConnected)
    return driver
  }

  @Test("A connect looks the name up, opens a link and reports each step")
  func connects() {
    var driver = started()
    #expect(driver.actions == [driver.connecting(1), driver.resolve()])
    #expect(driver.resolved([one, two]) == [.open(one, .v5, cleanStart: true)])
    #expect(driver.handle(.opened) == [])
    #expect(driver.handle(.accepted(Session())) == [.report(.connected(Session()))])
    #expect(driver.machine.deadline == nil)
  }

  @Test("Each address of a name is tried before waiting")
  func triesAllAddresses() {
    var driver = started()
    driver.resolved([one, two])
    #expect(driver.handle(.failed(broken)) == [.drop(broken), .open(two, .v5, cleanStart: true)])
    #expect(driver.handle(.failed(broken)) == [.drop(broken), MachineDriver.waiting(1)])
    #expect(driver.machine.deadline == driver.now + .seconds(1))
    #expect(driver.handle(.tick) == [], "too early")
    driver.pass()
    #expect(driver.actions == [driver.connecting(2), driver.resolve()])
  }

  @Test("An address whose broker is busy does not keep the next one from being tried")
  func busyAddress() {
    var driver = started()
    driver.greet([one, two])
    let cause = ConnectionError.refused(.serverUnavailable)
    #expect(driver.handle(.refused(.serverUnavailable)) == [.drop(cause), .open(two, .v5, cleanStart: true)])
  }

  @Test("Delays as long as can be said don't crash")
  func endlessDelays() {
    let longest = Duration.seconds(Int64.max)
    var driver = started { $0.backoff = .init(initial: longest, maximum: longest, jitter: 0) }
    // No instant is more than 18 of these away.
    for _ in 0..<7 {
      #expect(driver.unresolved().last == .report(.waiting(longest, cause: broken)))
      driver.advance(longest)
      driver.handle(.tick)
      driver.accept()
      #expect(driver.handle(.failed(broken)).last == .report(.waiting(longest, cause: broken)))
      driver.advance(longest)
      driver.handle(.tick)
    }
    #expect(longest.milliseconds == .max && longest.wholeSeconds == .max)
  }

  @Test("Delays double up to the maximum, and a random part of them is waited")
  func backsOff() {
    var driver = started { $0.backoff = .init(initial: .seconds(1), maximum: .seconds(10)) { 0.5 } }
    var delays: [Duration] = []
    for _ in 0..<6 {
      driver.unresolved()
      delays.append(driver.now.duration(to: driver.machine.deadline ?? driver.now))
      driver.pass()
    }
    #expect(delays == [0.5, 1, 2, 4, 5, 5].map { .seconds($0) })
  }

  @Test("A generator of random numbers that takes every delay away does not make the machine spin")
  func neverSpins() {
    var driver = started { $0.backoff = .init(initial: .seconds(1)) { 1 } }
    for _ in 0..<10 {
      driver.unresolved()
      #expect(driver.machine.deadline == driver.now + .milliseconds(1))
      driver.pass()
    }
  }

  @Test("A broker that accepts and drops at once is asked ever less often; a link that held starts anew")
  func flappingBacksOff() {
    var driver = connected()
    #expect(driver.lose(after: .seconds(1))?.0 == .seconds(1))
    driver.accept()
    #expect(driver.lose(after: .milliseconds(9_999))?.0 == .seconds(2))
    driver.accept()
    #expect(driver.lose(after: .seconds(10))?.0 == .seconds(1))
  }

  @Test(
    "A refusal that trying again can't mend ends the connection",
    arguments: [0x85, 0x86, 0x87, 0x8A] as [UInt8])
  func permanentRefusal(_ code: UInt8) {
    let code = ReasonCode(rawValue: code)
    var driver = started()
    driver.greet([one, two])
    #expect(driver.handle(.refused(code)) == [.drop(.refused(code)), .report(.closed(.refused(code)))])
    driver.advance(.seconds(1_000))
    #expect(driver.handle(.tick) == [])
    #expect(driver.handle(.connect) == [])
  }

  @Test("A busy broker is asked again", arguments: [0x80, 0x88, 0x89, 0x97, 0x9C, 0x9F] as [UInt8])
  func transientRefusal(_ code: UInt8) {
    let code = ReasonCode(rawValue: code)
    var driver = started()
    driver.greet()
    #expect(driver.handle(.refused(code)).last == MachineDriver.waiting(1, .refused(code)))
  }

  @Test("A broker that knows only MQTT 3.1.1 is spoken to in it, and the state says so")
  func fallsBack() {
    var driver = started()
    driver.greet()
    let cause = ConnectionError.refused(.unsupportedProtocolVersion)
    #expect(
      driver.handle(.refused(.unsupportedProtocolVersion)) == [
        .drop(cause), .open(one, .v311, cleanStart: true),
      ])
    driver.handle(.opened)
    var expected = Session()
    expected.fallback = .refused
    #expect(driver.handle(.accepted(Session())) == [.report(.connected(expected))])

    _ = driver.lose(after: .seconds(60))
    #expect(driver.resolved() == [.open(one, .v311, cleanStart: true)], "it is not asked twice")
  }

  @Test("A broker of MQTT 3.1.1 that was replaced by one of MQTT 5 is found again")
  func fallsForward() {
    var driver = started()
    driver.greet()
    driver.handle(.refused(.unsupportedProtocolVersion))
    driver.handle(.opened)
    driver.handle(.accepted(Session()))
    _ = driver.lose(after: .seconds(60))
    driver.greet()
    #expect(driver.handle(.refused(.unsupportedProtocolVersion)).last == .open(one, .v5, cleanStart: true))
  }

  @Test("A broker that closes at MQTT 5 is asked for 3.1.1 at once, and for 5 again when that link is lost")
  func closesAtMQTT5() {
    var driver = started()
    driver.greet([one, two])
    #expect(driver.handle(.failed(broken)) == [.drop(broken), .open(one, .v311, cleanStart: true)])
    #expect(driver.machine.deadline == driver.now + .seconds(10))
    driver.handle(.opened)
    driver.handle(.accepted(Session()))
    #expect(driver.machine.session?.fallback == .unanswered)

    _ = driver.lose(after: .seconds(60))
    #expect(driver.resolved() == [.open(one, .v5, cleanStart: true)])
    driver.handle(.opened)
    driver.handle(.accepted(Session()))
    #expect(driver.machine.session?.fallback == nil)
    _ = driver.lose(after: .seconds(60))
    driver.greet()
    #expect(driver.handle(.failed(broken)).last == MachineDriver.waiting(2), "it has accepted MQTT 5 once")
  }

  @Test("A broker that is silent at MQTT 5 is asked in turn, once at each attempt")
  func silentAtMQTT5() {
    var driver = started()
    for version in [ProtocolVersion.v5, .v311, .v5, .v311] {
      #expect(driver.resolved([one, two]) == [.open(one, version, cleanStart: true)])
      driver.handle(.opened)
      #expect(driver.pass().last == .open(two, version, cleanStart: true))
      driver.handle(.opened)
      driver.pass()
      driver.pass()
    }
    driver.greet()
    driver.pass()
    driver.pass()
    driver.accept()
    #expect(driver.machine.session?.fallback == .unanswered)
  }

  @Test("A broker that closes at every version is asked for both at each attempt, never for one alone")
  func closesAtAll() {
    var driver = started()
    for _ in 0..<3 {
      driver.greet()
      #expect(driver.handle(.failed(broken)).last == .open(one, .v311, cleanStart: true))
      driver.handle(.opened)
      driver.handle(.failed(broken))
      driver.pass()
    }
  }

  @Test("A refusal of MQTT 3.1.1 that was only guessed does not end the connection, and leads back to MQTT 5")
  func wrongGuess() {
    var driver = started()
    driver.greet()
    driver.handle(.failed(broken))
    driver.handle(.opened)
    let cause = ConnectionError.refused(.unsupportedProtocolVersion)
    #expect(driver.handle(.refused(.unsupportedProtocolVersion)).last == MachineDriver.waiting(1, cause))
    driver.pass()
    #expect(driver.resolved() == [.open(one, .v5, cleanStart: true)])
  }

  @Test("A link that never came up, a TLS fault, and MQTT 3.1.1 that was asked for, are no reason to guess")
  func noGuess() {
    var driver = started()
    driver.resolved()
    #expect(driver.handle(.failed(broken)).last == MachineDriver.waiting(1))
    driver = started()
    driver.greet()
    let cause = ConnectionError.tls(.expectsTLS, broker: "example")
    #expect(driver.handle(.failed(cause)).last == MachineDriver.waiting(1, cause))
    driver = started { $0.version = .v311 }
    driver.greet()
    #expect(driver.handle(.failed(broken)).last == MachineDriver.waiting(1))
  }

  @Test(
    "A broker that refuses every version that may be asked for is left alone",
    arguments: [ProtocolVersion.v5, .v311])
  func unsupportedVersion(_ version: ProtocolVersion) {
    var driver = started { $0.version = version }
    driver.greet()
    if version == .v5 {
      driver.handle(.refused(.unsupportedProtocolVersion))
      driver.handle(.opened)
    }
    #expect(
      driver.handle(.refused(.unsupportedProtocolVersion)).last
        == .report(.closed(.refused(.unsupportedProtocolVersion))))
  }

  @Test(
    "A silent host fails the attempt by its deadline, whichever step it hangs in, and the cause names the step"
  )
  func deadlines() {
    func text(_ driver: MachineDriver) -> String {
      if case .report(.waiting(_, .timedOut(let what)))? = driver.actions.last { what } else { "" }
    }
    let begin = started { $0.credentials = { Credentials(user: "ann") } }
    var driver = begin
    let end = driver.now + .seconds(10)

    driver.pass()
    #expect(driver.now == end && text(driver).contains("no credentials for example:1883 within 10.0 seconds"))
    #expect(driver.credentials(Credentials(user: "ann")) == [], "a late answer must not start anything")

    driver = begin
    driver.credentials(Credentials(user: "ann"))
    driver.advance(.seconds(4))
    driver.pass()
    #expect(driver.now == end && text(driver).contains("no address for example:1883 within 10.0 seconds"))
    #expect(driver.resolved() == [], "a late look-up must not start anything")

    driver = begin
    driver.credentials(Credentials(user: "ann"))
    driver.advance(.seconds(4))
    driver.resolved()
    driver.advance(.seconds(4))
    driver.pass()
    #expect(driver.now == end && text(driver).contains("no connection to example:1883 within 10.0 seconds"))

    driver = begin
    driver.credentials(Credentials(user: "ann"))
    driver.greet()
    driver.advance(.seconds(9))
    #expect(driver.handle(.tick) == [])
    driver.pass()
    #expect(driver.now == end && text(driver).contains("no CONNACK from example:1883 within 10.0 seconds"))
  }

  @Test("Each address of a name has the whole deadline")
  func deadlineOfAddress() {
    var driver = started()
    driver.resolved([one, two])
    #expect(driver.pass().last == .open(two, .v5, cleanStart: true))
    #expect(driver.machine.deadline == driver.now + .seconds(10))
  }

  @Test("Only the first connect drops the session that the broker kept")
  func cleanStart() {
    var driver = started { $0.sessionExpiry = .seconds(60) }
    driver.resolved()
    driver.handle(.failed(broken))
    driver.pass()
    #expect(driver.resolved() == [.open(one, .v5, cleanStart: true)], "there was no link yet")
    driver.handle(.opened)
    driver.handle(.accepted(Session()))
    _ = driver.lose(after: .zero)
    #expect(driver.resolved() == [.open(one, .v5, cleanStart: false)])
  }

  @Test("A broker that claims a session in spite of a clean start is not believed, and the state says so")
  func impossibleSession() {
    var claimed = Session()
    claimed.isPresent = true
    var driver = started { $0.sessionExpiry = .seconds(60) }
    driver.accept(claimed)
    #expect(driver.machine.session?.isPresent == false)
    #expect(driver.machine.session?.ignoredCleanStart == true)
    #expect(
      driver.machine.session.map { "\(ConnectionState.connected($0))".contains("claims a session") } == true)

    _ = driver.lose(after: .seconds(60))
    driver.accept(claimed)
    #expect(driver.machine.session == claimed, "the one that was asked for is believed")
    _ = driver.lose(after: .seconds(60))
    driver.accept()
    #expect(driver.machine.session?.isPresent == false, "one that is gone shows")
  }

  @Test("A Unix domain socket needs no look-up")
  func unixSocket() {
    let driver = started { $0.endpoint = .unix(path: "/run/x") }
    #expect(
      driver.actions == [
        .report(.connecting(.unix(path: "/run/x"), attempt: 1)),
        .open(Address(host: "/run/x", port: 0), .v5, cleanStart: true),
      ])
  }

  @Test("For TLS the name itself is opened, so that the certificate can be checked against it")
  func opensByName() {
    var driver = started { $0.tls = TLSOptions() }
    let name = Address(host: "example", port: 1883)
    #expect(driver.actions == [driver.connecting(1), .open(name, .v5, cleanStart: true)])
    #expect(driver.handle(.failed(broken)).last == MachineDriver.waiting(1))
    driver.pass()
    #expect(driver.actions.last == .open(name, .v5, cleanStart: true))
  }

  @Test("A close ends it from every state, once")
  func closes() {
    var opening = started()
    opening.resolved()
    var waiting = started()
    waiting.unresolved()
    let asking = started { $0.credentials = { Credentials(user: "ann") } }
    let closed = ConnectionMachine.Action.report(.closed(nil))
    for (driver, expected) in [
      (MachineDriver(), [closed]), (started(), [closed]), (waiting, [closed]),
      (opening, [.drop(nil), closed]), (connected(), [.drop(nil), closed]),
      (asking, [.abandonCredentials, closed]),
    ] {
      var driver = driver
      #expect(driver.handle(.close(nil)) == expected)
      #expect(driver.handle(.close(nil)) == [])
      #expect(driver.handle(.failed(broken)) == [])
    }
  }
}
