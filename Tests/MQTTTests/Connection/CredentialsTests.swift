import Signals
import Testing

@testable import MQTT

struct CredentialsTests {
  private let ann = Credentials(user: "ann", password: "hunter2")

  private func started(_ hosts: [String] = ["a"]) -> MachineDriver {
    var driver = MachineDriver(hosts) { [ann] in $0.credentials = { ann } }
    driver.handle(.connect)
    return driver
  }

  @Test("The password shows nowhere")
  func passwordIsHidden() {
    var dumped = ""
    dump(ann, to: &dumped)
    dump([ConnectionMachine.Event.credentials(.success(ann), ticket: 1)], to: &dumped)
    for text in ["\(ann)", String(reflecting: ann), dumped] {
      #expect(text.contains("ann") && !text.contains("hunter2"))
    }
    var driver = started()
    driver.credentials(ann)
    driver.resolved()
    var machine = ""
    dump(driver.machine, to: &machine)
    #expect(driver.machine.credentials == ann && !machine.contains("hunter2"))
  }

  @Test("Each host of a round is asked for its own, which hold for all of its addresses")
  func askedForEachHost() {
    var driver = started(["a", "b"])
    #expect(driver.actions == [driver.connecting("a", 1), .fetchCredentials(ticket: 1)])
    #expect(driver.credentials(ann) == [driver.resolve("a")])
    driver.resolved([MachineDriver.one, MachineDriver.two])
    driver.handle(.failed(MachineDriver.broken))
    #expect(driver.actions.last == .open(MachineDriver.two, .v5, cleanStart: true))
    #expect(driver.machine.credentials == ann)
    driver.handle(.failed(MachineDriver.broken))
    #expect(driver.actions.dropFirst() == [driver.connecting("b", 2), .fetchCredentials(ticket: 3)])
    #expect(driver.machine.credentials == nil)
  }

  @Test("A closure that throws is asked again after a wait that says why")
  func thrown() {
    var driver = started()
    #expect(driver.noCredentials("vault") == [MachineDriver.waiting(1, .credentialsUnavailable("vault"))])
    #expect(driver.pass().last == .fetchCredentials(ticket: 2))
  }

  @Test("The answer to an earlier question is ignored")
  func late() {
    var driver = started()
    driver.pass()
    #expect(driver.actions.first == .abandonCredentials)
    driver.pass()
    #expect(driver.actions.last == .fetchCredentials(ticket: 2))
    #expect(driver.handle(.credentials(.success(ann), ticket: 1)) == [])
    #expect(driver.handle(.credentials(.success(ann), ticket: 2)) == [driver.resolve("a")])
  }

  @Test(
    "Refused credentials are asked for again where there is a closure", arguments: [0x86, 0x87] as [UInt8])
  func refused(_ code: UInt8) {
    let code = ReasonCode(rawValue: code)
    var driver = started()
    driver.credentials(ann)
    driver.greet([MachineDriver.one, MachineDriver.two])
    #expect(
      driver.handle(.refused(code)) == [.drop(.refused(code)), MachineDriver.waiting(1, .refused(code))])
    driver.pass()
    driver.credentials(ann)
    driver.greet()
    #expect(
      driver.handle(.refused(.clientIdentifierNotValid)).last
        == .report(.closed(.refused(.clientIdentifierNotValid))), "new credentials don't mend this")
  }

  @Test("What a closure throws is told in one line, and what can't be sent is not sent")
  func answers() async {
    struct Long: Error, CustomStringConvertible { let description = "first\nsecond\r\n" }
    let thrown = await Credentials.ask { throw Long() }
    #expect(thrown == .failure(.credentialsUnavailable("first second")))
    for bad in [
      Credentials(user: "a\0b"), Credentials(user: "a", password: "hunter2\0"),
      Credentials(user: "a", password: String(repeating: "hunter2", count: 10_000)),
    ] {
      guard case .failure(.credentialsUnavailable(let reason)) = await Credentials.ask({ bad }) else {
        Issue.record("taken: \(bad)")
        continue
      }
      #expect(!reason.contains("hunter2"))
    }
    let empty = Credentials(user: "", password: "")
    #expect(await Credentials.ask { empty } == .success(empty))
  }
}
