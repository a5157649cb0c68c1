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
    ("nonsense", "not JSON"), (#"{"battery":1}"#, #"the JSON has no "temperature""#),
    (#"{"temperature":"warm"}"#, #"the JSON has no Double at "/temperature""#), ("", "not JSON"),
  ])
  func `an error says in one line what is wrong with the JSON`(text: String, reason: String) {
    let decode = PayloadCoding.decoder(for: Climate.self)
    #expect(throws: PayloadError(reason)) { try decode(bytes(text)) }
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
