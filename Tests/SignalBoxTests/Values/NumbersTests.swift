import SignalBox
import Testing

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite struct NumbersTests {
  @Test func `whole numbers of every size are digits, within their range`() throws {
    #expect(try Int(payload: bytes(" -12\n")) == -12)
    #expect(try UInt8(payload: bytes("255")) == 255)
    #expect(try Int64(payload: bytes("9223372036854775807")) == .max)
    #expect(UInt16(443).payload() == bytes("443"))
    for text in ["256", "-1", "1.5", "", "x", "0x1", "1e3"] {
      #expect(throws: PayloadError("\"\(text)\" is no UInt8 (0 to 255)")) { try UInt8(payload: bytes(text)) }
    }
    #expect(throws: PayloadError(#""128" is no Int8 (-128 to 127)"#)) { try Int8(payload: bytes("128")) }
    #expect(throws: PayloadError(#""warm" is no Int"#)) { try Int(payload: bytes("warm")) }
  }

  @Test(arguments: [
    ("42.0", 42), ("4.2e1", 42), ("-3.00", -3), ("9007199254740991.0", 9_007_199_254_740_991),
  ])
  func `a whole number may be written as a decimal one`(text: String, number: Int) throws {
    #expect(try Int(payload: bytes(text)) == number)
  }

  @Test(arguments: ["42.5", "9007199254740993.0", "9223372036854775808", "1e19", "1e999", "nan", "."])
  func `what would be rounded is no whole number`(text: String) {
    #expect(throws: PayloadError("\"\(text)\" is no Int")) { try Int(payload: bytes(text)) }
  }

  @Test func `a float is a number like a double`() throws {
    #expect(try Float(payload: bytes("21.5")) == 21.5)
    #expect(try Float(0.1).payload() == bytes("0.1"))
    #expect(try Float(3).payload() == bytes("3"))
    for text in ["nan", "inf", "1e39"] {
      #expect(throws: PayloadError("\"\(text)\" is no number")) { try Float(payload: bytes(text)) }
    }
  }

  @Test(arguments: ["42", "42%", " 42 % \n", "42.0%"])
  func `a percent sign may follow where percent was asked for`(text: String) throws {
    #expect(try Percent(payload: bytes(text)) == Percent(42))
    #expect(throws: PayloadError.self) { try Int(payload: bytes("42%")) }
  }

  @Test func `percent is kept as it is said, and sent as a number`() throws {
    #expect(try Percent(payload: bytes("-1")).value == -1)
    #expect(Percent(42).fraction == 0.42)
    #expect(try Percent(42).payload() == bytes("42"))
    for text in ["%", "42%%", "nan%", "%42"] {
      #expect(throws: PayloadError("\"\(text)\" is no Percent")) { try Percent(payload: bytes(text)) }
    }
  }
}
