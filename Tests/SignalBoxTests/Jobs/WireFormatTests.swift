import Fuzzing
import Signals
import Testing

@testable import SignalBox

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite struct WireFormatTests {
  @Test(arguments: [
    ("42", 0.42), ("42%", 0.42), ("0.42", 0.0042), ("0.42 %", 0.0042), ("100", 1), (" 7%\n", 0.07),
    ("250", 1),
  ])
  func `a bare number is percent, never a guess`(text: String, fraction: Double) throws {
    #expect(try ProgressMessage(payload: bytes(text))?.update.fraction == fraction)
  }

  @Test func `done of total, and busy`() throws {
    let message = try #require(try ProgressMessage(payload: bytes("3/10 files")))
    #expect(message.update == ProgressUpdate(done: 3, total: 10, unit: "files"))
    #expect(try ProgressMessage(payload: bytes("?"))?.update == ProgressUpdate())
    #expect(try ProgressMessage(payload: bytes("3/0"))?.update.fraction == nil)
    #expect(try ProgressMessage(payload: bytes("12/10"))?.update.fraction == 1)
  }

  @Test(arguments: ["abc", "nan", "-1", "1e400", "42%%", "a/b", "{percent:42}", "[1]", "\u{1b}[31m"])
  func `what is no progress says so, in one printable line`(text: String) {
    do {
      _ = try ProgressMessage(payload: bytes(text))
      Issue.record("\(text) was taken")
    } catch {
      #expect(!"\(error)".contains("\n") && !"\(error)".contains("\u{1b}"))
    }
  }

  @Test func `an empty payload forgets`() throws {
    #expect(try ProgressMessage(payload: []) == nil)
    #expect(try StateMessage(payload: []) == nil)
  }

  @Test(arguments: [
    #"{"percent":-1}"#, #"{"percent":101}"#, #"{"percent":"42"}"#, #"{"percent":null}"#,
    #"{"percent":1e400}"#,
    #"{"percent":true}"#, #"{"percent":[1]}"#, #"{}"#, #"{"done":-3,"total":0}"#,
  ])
  func `numbers that are none are unknown`(json: String) throws {
    #expect(try ProgressMessage(payload: bytes(json))?.update.fraction == nil)
  }

  @Test func `unknown keys are ignored, other versions are not guessed at`() throws {
    #expect(
      try ProgressMessage(payload: bytes(#"{"v":1,"percent":5,"colour":"red"}"#))?.update.fraction == 0.05)
    #expect(throws: PayloadError.self) { try ProgressMessage(payload: bytes(#"{"v":2,"percent":5}"#)) }
    #expect(throws: PayloadError.self) { try StateMessage(payload: bytes(#"{"v":2,"state":"done"}"#)) }
  }

  @Test func `control characters and long texts don't reach a terminal`() throws {
    let json =
      #"{"percent":5,"msg":"a\u001b[31mb\nc\u0000\u009bd","unit":"\#(String(repeating: "x", count: 500))"}"#
    let update = try #require(try ProgressMessage(payload: bytes(json))?.update)
    #expect(update.message == "a[31mb cd")
    #expect(update.unit?.count == 16)
  }

  @Test func `what is written is read back, and the outcome makes it final`() throws {
    let update = ProgressUpdate(
      done: 3, total: 10, unit: "files", message: "b", phase: "copy", attempt: 2, rate: 1.5,
      remaining: .seconds(9))
    let message = ProgressMessage(
      update, run: "r1", sequence: 7, every: 10, time: 1_700_000_000.25, outcome: .failed)
    let read = try #require(try ProgressMessage(payload: message.payload()))
    #expect(read.update.isFinal)
    #expect(read.outcome == .failed)
    #expect(read.update.fraction == 0.3)
    #expect(read.run == "r1" && read.sequence == 7 && read.time == 1_700_000_000.25)
    #expect(read.update.remaining == .seconds(9))
  }

  @Test func `progress reads well with mosquitto_sub`() throws {
    let message = ProgressMessage(
      ProgressUpdate(done: 441_450, total: 1_048_576, unit: "B"), run: "r1", sequence: 2)
    #expect(
      String(decoding: try message.payload(), as: UTF8.self)
        == #"{"done":441450,"percent":42.1,"run":"r1","seq":2,"total":1048576,"unit":"B","v":1}"#)
  }

  @Test func `busy is written so that others can tell it from nothing`() throws {
    let payload = try ProgressMessage(ProgressUpdate()).payload()
    #expect(String(decoding: payload, as: UTF8.self) == #"{"percent":null,"v":1}"#)
  }

  @Test func `a text that is not short neither holds the bus up nor fills a screen`() throws {
    let slow = "1/2" + String(repeating: " ", count: 1_000_000) + "files\nand more"
    #expect(throws: PayloadError.self) { try ProgressMessage(payload: bytes(slow)) }
    let marks = "a" + String(repeating: "\u{301}", count: 1_000_000)
    let read = try #require(try ProgressMessage(payload: bytes(#"{"msg":"\#(marks)"}"#)))
    #expect((read.update.message?.utf8.count ?? 0) <= 200 * 4 * 4)
    do {
      _ = try StateMessage(payload: bytes(marks))
      Issue.record("taken for a state")
    } catch {
      #expect("\(error)".utf8.count < 1000)
    }
  }

  @Test func `whatever is sent is read or refused, and what was read can be sent again`() throws {
    var random = Dice(seed: 42)
    let seeds = [
      #"{"v":1,"run":"r","seq":3,"percent":12.5,"done":3,"total":10,"eta":3,"attempt":2,"final":"done"}"#,
      #"{"v":1,"state":"failed","run":"r","started":1,"exit":-1,"error":"e","values":3,"every":10}"#,
      "42%", "3/10 files", "?", "running", "{}",
    ].map(bytes)
    let pieces = [
      "1e400", "-1", "null", "[", "{", "\"", "9223372036854775808", "\u{1b}[2J", "\\ud800", "5e-324",
    ]
    .map(bytes)
    for _ in 0..<20_000 {
      var payload = seeds.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 0..<4, using: &random) {
        let place = Int.random(in: 0...payload.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: payload.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
        case 1: payload.insert(.random(in: 0...255, using: &random), at: place)
        default: payload.removeFirst(min(place, 3))
        }
      }
      if let read = try? ProgressMessage(payload: payload) {
        let update = read.update
        for number in [update.fraction, update.done, update.total, update.rate, update.weight] {
          #expect(number.map { $0.isFinite && $0 >= 0 } ?? true)
        }
        #expect(throws: Never.self) { try ProgressMessage(payload: read.payload()) }
      }
      if let read = try? StateMessage(payload: payload) {
        #expect(throws: Never.self) { try StateMessage(payload: read.payload()) }
      }
    }
  }

  @Test func `a state is JSON or the bare word`() throws {
    #expect(try StateMessage(payload: bytes("running\n"))?.state == .running)
    var message = StateMessage(.failed, run: "r")
    message.exit = 7
    message.error = "disk\nfull"
    message.values = 3
    let read = try #require(try StateMessage(payload: message.payload()))
    #expect(read.exit == 7 && read.error == "disk full" && read.values == 3 && read.run == "r")
    #expect(throws: PayloadError.self) { try StateMessage(payload: bytes("asleep")) }
    #expect(throws: PayloadError.self) { try StateMessage(payload: bytes(#"{"state":7}"#)) }
  }
}
