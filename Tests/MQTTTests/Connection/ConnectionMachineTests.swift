import Testing

@testable import MQTT

struct ConnectionMachineTests {
  private let start = ContinuousClock.now
  private let one = Address(host: "192.0.2.1", port: 1883)
  private let two = Address(host: "192.0.2.2", port: 1883)
  private let broken = ConnectionError.linkLost("test")

  private func machine(
    random: Double = 1, _ change: (inout ConnectionOptions) -> Void = { _ in }
  ) -> ConnectionMachine {
    var options = ConnectionOptions(host: "example")
    change(&options)
    return ConnectionMachine(options, random: { random })
  }

  private var endpoint: Endpoint { .tcp(host: "example", port: 1883) }

  /// A machine that is connected at `start`.
  private func connected(_ change: (inout ConnectionOptions) -> Void = { _ in }) -> ConnectionMachine {
    var machine = machine(change)
    for event in [.connect, .resolved([one]), .opened, .accepted(Session())] as [ConnectionMachine.Event] {
      _ = machine.handle(event, at: start)
    }
    #expect(machine.isConnected)
    return machine
  }

  @Test("A connect looks the name up, opens a link and reports each step")
  func connects() {
    var machine = machine()
    #expect(
      machine.handle(.connect, at: start) == [.report(.connecting(endpoint, attempt: 1)), .resolve(endpoint)])
    #expect(machine.handle(.resolved([one, two]), at: start) == [.open(one, .v5, cleanStart: true)])
    #expect(machine.handle(.opened, at: start) == [])
    #expect(machine.handle(.accepted(Session()), at: start) == [.report(.connected(Session()))])
    #expect(machine.deadline == nil)
  }

  @Test("Each address of a name is tried before waiting")
  func triesAllAddresses() {
    var machine = machine()
    _ = machine.handle(.connect, at: start)
    _ = machine.handle(.resolved([one, two]), at: start)
    #expect(
      machine.handle(.failed(broken), at: start) == [.drop(broken), .open(two, .v5, cleanStart: true)])
    let delay = Duration.seconds(1)
    #expect(
      machine.handle(.failed(broken), at: start) == [
        .drop(broken), .report(.waiting(delay, cause: broken)),
      ])
    #expect(machine.deadline == start + delay)
    #expect(machine.handle(.tick, at: start) == [])
    #expect(
      machine.handle(.tick, at: start + delay) == [
        .report(.connecting(endpoint, attempt: 2)), .resolve(endpoint),
      ])
  }

  @Test("Delays as long as can be said don't crash")
  func endlessDelays() {
    let longest = Duration.seconds(Int64.max)
    var machine = machine { $0.backoff = .init(initial: longest, maximum: longest) }
    _ = machine.handle(.connect, at: start)
    for _ in 0..<100 {
      _ = machine.handle(.unresolved(broken), at: start)
      #expect(machine.deadline.map { $0 - start > .seconds(Int64.max / 2) } == true)
      _ = machine.handle(.tick, at: start + longest * 2)
    }
    #expect(longest.milliseconds == .max && longest.wholeSeconds == .max)
  }

  @Test("Delays double up to the maximum, and a random part of them is waited")
  func backsOff() {
    var machine = machine(random: 0.5) { $0.backoff = .init(initial: .seconds(1), maximum: .seconds(10)) }
    _ = machine.handle(.connect, at: start)
    var now = start
    var delays: [Duration] = []
    for _ in 0..<6 {
      _ = machine.handle(.unresolved(broken), at: now)
      let next = machine.deadline ?? now
      delays.append(now.duration(to: next))
      now = next
      _ = machine.handle(.tick, at: now)
    }
    #expect(delays == [0.5, 1, 2, 4, 5, 5].map { .seconds($0) })
  }

  @Test("A broker that accepts and drops at once is asked ever less often; a link that held starts anew")
  func flappingBacksOff() {
    var machine = connected()
    #expect(machine.handle(.failed(broken), at: start + .seconds(1)).last == waiting(1))
    _ = machine.handle(.tick, at: start + .seconds(2))
    for event in [.resolved([one]), .opened, .accepted(Session())] as [ConnectionMachine.Event] {
      _ = machine.handle(event, at: start + .seconds(2))
    }
    #expect(machine.handle(.failed(broken), at: start + .seconds(3)).last == waiting(2))
    _ = machine.handle(.tick, at: start + .seconds(5))
    for event in [.resolved([one]), .opened, .accepted(Session())] as [ConnectionMachine.Event] {
      _ = machine.handle(event, at: start + .seconds(5))
    }
    #expect(machine.handle(.failed(broken), at: start + .seconds(15)).last == waiting(1))
  }

  private func waiting(_ seconds: Int) -> ConnectionMachine.Action {
    .report(.waiting(.seconds(seconds), cause: broken))
  }

  @Test(
    "A refusal that trying again can't mend ends the connection",
    arguments: [0x85, 0x86, 0x87, 0x8A] as [UInt8])
  func permanentRefusal(_ code: UInt8) {
    let code = ReasonCode(rawValue: code)
    var machine = machine()
    for event in [.connect, .resolved([one, two]), .opened] as [ConnectionMachine.Event] {
      _ = machine.handle(event, at: start)
    }
    #expect(
      machine.handle(.refused(code), at: start) == [
        .drop(.refused(code)), .report(.closed(.refused(code))),
      ])
    #expect(machine.handle(.tick, at: start + .seconds(1_000)) == [])
    #expect(machine.handle(.connect, at: start) == [])
  }

  @Test("A busy broker is asked again", arguments: [0x80, 0x88, 0x89, 0x97, 0x9F] as [UInt8])
  func transientRefusal(_ code: UInt8) {
    let cause = ConnectionError.refused(ReasonCode(rawValue: code))
    var machine = machine()
    for event in [.connect, .resolved([one]), .opened] as [ConnectionMachine.Event] {
      _ = machine.handle(event, at: start)
    }
    #expect(
      machine.handle(.refused(ReasonCode(rawValue: code)), at: start).last
        == .report(.waiting(.seconds(1), cause: cause)))
  }

  @Test("A broker that knows only MQTT 3.1.1 is spoken to in it, once asked, and the state says so")
  func fallsBack() {
    var machine = machine()
    for event in [.connect, .resolved([one]), .opened] as [ConnectionMachine.Event] {
      _ = machine.handle(event, at: start)
    }
    let actions = machine.handle(.refused(.unsupportedProtocolVersion), at: start)
    #expect(actions.last == .resolve(endpoint))
    #expect(machine.handle(.resolved([one]), at: start) == [.open(one, .v311, cleanStart: true)])
    _ = machine.handle(.opened, at: start)
    var expected = Session()
    expected.isFallback = true
    #expect(machine.handle(.accepted(Session()), at: start) == [.report(.connected(expected))])
  }

  @Test("A broker that refuses MQTT 3.1.1 too is left alone")
  func unsupportedVersion() {
    var machine = machine { $0.version = .v311 }
    for event in [.connect, .resolved([one]), .opened] as [ConnectionMachine.Event] {
      _ = machine.handle(event, at: start)
    }
    #expect(
      machine.handle(.refused(.unsupportedProtocolVersion), at: start).last
        == .report(.closed(.refused(.unsupportedProtocolVersion))))
  }

  @Test("A silent broker fails the attempt after the deadline, whichever step it hangs in")
  func deadlines() {
    let late = start + .seconds(10)
    var resolving = machine()
    _ = resolving.handle(.connect, at: start)
    #expect(resolving.handle(.tick, at: late).count == 2)
    #expect(resolving.handle(.resolved([one]), at: late) == [], "a late look-up must not start anything")

    var greeting = machine()
    for event in [.connect, .resolved([one]), .opened] as [ConnectionMachine.Event] {
      _ = greeting.handle(event, at: start)
    }
    #expect(greeting.handle(.tick, at: start + .seconds(9)) == [])
    #expect(greeting.handle(.tick, at: late).count == 2)
    guard case .waiting = greeting.phase else { return #expect(Bool(false), "\(greeting.phase)") }
  }

  @Test("Only the first connect drops the session that the broker kept")
  func cleanStart() {
    var machine = connected { $0.sessionExpiry = .seconds(60) }
    _ = machine.handle(.failed(broken), at: start)
    _ = machine.handle(.tick, at: start + .seconds(60))
    #expect(machine.handle(.resolved([one]), at: start) == [.open(one, .v5, cleanStart: false)])
  }

  @Test("A Unix domain socket needs no look-up")
  func unixSocket() {
    var machine = machine { $0.endpoint = .unix(path: "/run/x") }
    #expect(
      machine.handle(.connect, at: start) == [
        .report(.connecting(.unix(path: "/run/x"), attempt: 1)),
        .open(Address(host: "/run/x", port: 0), .v5, cleanStart: true),
      ])
  }

  @Test("For TLS the name itself is opened, so that the certificate can be checked against it")
  func opensByName() {
    var machine = machine { $0.tls = TLSOptions() }
    let name = Address(host: "example", port: 1883)
    #expect(
      machine.handle(.connect, at: start) == [
        .report(.connecting(endpoint, attempt: 1)), .open(name, .v5, cleanStart: true),
      ])
    #expect(machine.handle(.failed(broken), at: start).last == waiting(1))
    #expect(machine.handle(.tick, at: start + .seconds(1)).last == .open(name, .v5, cleanStart: true))
  }

  @Test("A close ends it from every state, once")
  func closes() {
    var resolving = machine()
    _ = resolving.handle(.connect, at: start)
    for var machine in [machine(), resolving, connected()] {
      #expect(machine.handle(.close(nil), at: start) == [.drop(nil), .report(.closed(nil))])
      #expect(machine.handle(.close(nil), at: start) == [])
      #expect(machine.handle(.failed(broken), at: start) == [])
    }
  }
}
