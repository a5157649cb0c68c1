import MQTT
import Testing

@testable import SignalBox

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite struct PayloadValueTests {
  @Test(arguments: [("21.5", 21.5), (" -3\n", -3), ("1e3", 1000), ("0", 0), (".5", 0.5)])
  func `numeric text is a number`(text: String, number: Double) throws {
    #expect(try Double(payload: bytes(text)) == number)
  }

  @Test(arguments: ["nan", "inf", "-infinity", "0x10", "0x1p3", "1e400", "", "21,5", "12 34", "ON", "{}"])
  func `what is no number is refused`(text: String) {
    #expect(throws: PayloadError.self) { try Double(payload: bytes(text)) }
  }

  @Test func `numbers are sent as people write them, and never as nan`() throws {
    #expect(try (42.0).payload() == bytes("42"))
    #expect(try (21.5).payload() == bytes("21.5"))
    #expect(throws: PayloadError.self) { try Double.nan.payload() }
  }

  @Test func `booleans are what devices say`() throws {
    for text in ["ON", "on", "true", "1"] { #expect(try Bool(payload: bytes(text))) }
    for text in ["OFF", "off", "False", "0"] { #expect(try !Bool(payload: bytes(text))) }
    for text in ["", "yes", "2"] { #expect(throws: PayloadError.self) { try Bool(payload: bytes(text)) } }
  }

  @Test func `bytes that are no UTF-8 are no text`() {
    #expect(throws: PayloadError.self) { try String(payload: [0xff, 0xfe]) }
  }

  private struct Climate: Codable, Sendable, Equatable {
    var temperature: Double
    var battery: Int?
  }

  @Test func `everything else is JSON`() throws {
    let decode = PayloadCoding.decoder(for: Climate.self)
    #expect(try decode(bytes(#"{"temperature":21.5,"linkquality":9}"#)) == Climate(temperature: 21.5))
    #expect(
      try PayloadCoding.encode(Climate(temperature: 1, battery: 2))
        == bytes(#"{"battery":2,"temperature":1}"#))
  }

  @Test(arguments: [
    ("nonsense", #""nonsense" is no Climate: not JSON"#), ("", #""" is no Climate: not JSON"#),
    (#"{"battery":1}"#, #"the JSON has nothing at "/temperature" (wanted: Climate): {"battery":1}"#),
    (#"{"temperature":"warm"}"#, #""warm" is no number at "/temperature" (wanted: Climate)"#),
    (#"{"temperature":null}"#, #"null is no number at "/temperature" (wanted: Climate)"#),
    (#"{"temperature":1.5,"battery":7.5}"#, #"7.5 is no Int at "/battery" (wanted: Climate)"#),
    (#"{"temperature":7.5,"battery":7.5}"#, #"7.5 is no Int at "/battery" (wanted: Climate)"#),
    (#"{"temperature":1,"battery":1e19}"#, #"1e+19 is no Int at "/battery" (wanted: Climate)"#),
    ("[1]", "a list is no Climate"), ("7", "7 is no Climate"), ("null", "null is no Climate"),
  ])
  func `an error says in one line what is wrong with the JSON`(text: String, reason: String) {
    let decode = PayloadCoding.decoder(for: Climate.self)
    #expect(throws: PayloadError(reason)) { try decode(bytes(text)) }
  }

  private enum Mode: String, Codable, Sendable { case eco, off = "0" }
  private enum Fan: String, Codable, PayloadValue { case low }
  private struct Heater: Codable, Sendable { var mode: Mode }

  @Test func `a word is read with quotes and without, and sent as JSON unless it has a form of its own`()
    throws
  {
    let decode = PayloadCoding.decoder(for: Mode.self)
    for text in ["eco", #""eco""#, " eco\n"] { #expect(try decode(bytes(text)) == .eco) }
    #expect(try decode(bytes("0")) == .off)
    for text in ["turbo", #""turbo""#] {
      #expect(throws: PayloadError(#""turbo" is no Mode"#)) { try decode(bytes(text)) }
    }
    #expect(throws: PayloadError("7 is no Mode")) { try decode(bytes("7")) }
    #expect(throws: PayloadError(#""turbo" is no valid value at "/mode" (wanted: Heater)"#)) {
      try PayloadCoding.decoder(for: Heater.self)(bytes(#"{"mode":"turbo"}"#))
    }
    #expect(try PayloadCoding.encode(Mode.eco) == bytes(#""eco""#))
    #expect(try PayloadCoding.encode(Fan.low) == bytes("low"))
    #expect(try PayloadCoding.decoder(for: Fan.self)(bytes("low")) == .low)
    #expect(throws: PayloadError(#""x" is no Fan"#)) { try PayloadCoding.decoder(for: Fan.self)(bytes("x")) }
  }

  @Test(arguments: [("é", 40, "\"", 40), ("é", 41, "…\"", 39), ("€", 1_000, "…\"", 39)])
  func `what was there is shown short`(letter: String, count: Int, end: String, shown: Int) {
    let payload = bytes(String(repeating: letter, count: count))
    #expect(Glimpse.payload(payload) == "\"" + String(repeating: letter, count: shown) + end)
  }

  @Test func `what was there does no harm to a terminal`() {
    #expect(Glimpse.payload(bytes("a\u{1B}[31mb\n\u{202E}c")) == #""a[31mb c""#)
    for binary: [UInt8] in [[0xff, 0xfe], [0, 0]] { #expect(Glimpse.payload(binary) == "the payload") }
  }

  @Test(arguments: [
    ("a/_progress", true), ("_state", true), ("a/b/_cancel", true), ("a/_progress/b", false),
    ("a/progress", false),
    ("a/_other", false), ("", false), ("#", false), ("a/", false),
  ])
  func `the topics of jobs are told from values`(topic: String, isReserved: Bool) {
    #expect(JobTopic.isReserved(topic) == isReserved)
  }
}
