import Foundation
import Fuzzing
import Testing

@testable import SignalBox

private func read<Value: Decodable & Sendable>(
  _ type: Value.Type, _ pointer: String, _ json: String
) throws -> Value? {
  try PayloadCoding.decoder(for: type, at: JSONPointer(pointer))(Array(json.utf8))
}

@Suite struct JSONFieldTests {
  private struct Color: Codable, Sendable, Equatable {
    var x: Double
    var y: Double
  }

  @Test func `a field is found by names and indexes, and may be anything decodable`() throws {
    #expect(try read(Double.self, "/temperature", #"{"temperature":21.5}"#) == 21.5)
    #expect(try read(Int.self, "/a/b/1", #"{"a":{"b":[7,8]}}"#) == 8)
    #expect(try read(String.self, "/a~1b/m~0n", #"{"a/b":{"m~n":"x"}}"#) == "x")
    #expect(try read(Bool.self, "", "true") == true)
    #expect(try read(Color.self, "/color", #"{"color":{"x":0.3,"y":0.4}}"#) == Color(x: 0.3, y: 0.4))
    #expect(try read([Int].self, "/list", #"{"list":[1,2]}"#) == [1, 2])
    #expect(try read(Int.self, "/1", #"{"1":5}"#) == 5)
  }

  @Test(arguments: [
    "{}", #"{"a":null}"#, #"{"a":{}}"#, #"{"a":{"b":null}}"#, #"{"a":{"b":[]}}"#, #"{"a":{"b":[null]}}"#,
    "null",
  ])
  func `what is absent or null is no value`(json: String) throws {
    #expect(try read(Double.self, "/a/b/0", json) == nil)
  }

  @Test func `only an optional makes a null a value`() throws {
    let json = #"{"percent":null,"text":"7"}"#
    #expect(try read(Double?.self, "/percent", json) == .some(nil))
    #expect(try read(Double?.self, "/text", json) == .some(7))
    #expect(try read(Double?.self, "/other", json) == nil)
  }

  @Test func `text does where it would do as a payload`() throws {
    #expect(try read(Double.self, "/p", #"{"p":"100"}"#) == 100)
    #expect(try read(UInt8.self, "/p", #"{"p":" 7 "}"#) == 7)
    #expect(try read(Bool.self, "/p", #"{"p":"ON"}"#) == true)
    #expect(try read(Bool.self, "/p", #"{"p":0}"#) == false)
    #expect(try read(Percent.self, "/p", #"{"p":"42 %"}"#) == Percent(42))
    #expect(try read(Percent.self, "/p", #"{"p":42.5}"#) == Percent(42.5))
  }

  @Test(arguments: [
    ("/t", #"{"t":"warm"}"#, #""warm" is no number at "/t""#),
    ("/t", #"{"t":{}}"#, #"an object is no number at "/t""#),
    ("/t", #"{"t":[]}"#, #"a list is no number at "/t""#),
    ("/t", #"{"t":true}"#, #"true is no number at "/t""#),
    ("/t", #"{"t":1e999}"#, #"an unreadable number is no number at "/t""#),
    ("/t/u", #"{"t":3}"#, #"the JSON has nothing at "/t/u": {"t":3}"#),
    ("/t/u", #"{"t":[3]}"#, #"the JSON has nothing at "/t/u": {"t":[3]}"#),
    ("/t", "[1]", #"the JSON has nothing at "/t": [1]"#),
    ("/t", #"{"t":"nan"}"#, #""nan" is no number at "/t""#),
    ("/t", "21.5", #"the JSON has nothing at "/t": 21.5"#),
    ("/t", #"{"t":"#, #""{"t":" is no number: not JSON"#), ("/t", "ON", #""ON" is no number: not JSON"#),
    ("", "true", "true is no number"), ("", #""warm""#, #""warm" is no number"#),
  ])
  func `what has the wrong type is said in one line`(pointer: String, json: String, words: String) {
    #expect(throws: PayloadError(words)) { try read(Double.self, pointer, json) }
  }

  @Test func `an error inside a field names the whole way, and what was wanted of the whole`() {
    #expect(throws: PayloadError(#"a list is no number at "/color/y" (wanted: Color)"#)) {
      try read(Color.self, "/color", #"{"color":{"x":1,"y":[]}}"#)
    }
    #expect(throws: PayloadError(#"the JSON has nothing at "/color/y" (wanted: Color): {"color":{"x":1}}"#)) {
      try read(Color.self, "/color", #"{"color":{"x":1}}"#)
    }
    #expect(throws: PayloadError(#"a list is no Color at "/color""#)) {
      try read(Color.self, "/color", #"{"color":[1]}"#)
    }
  }

  @Test func `a number that does not fit is told from what is no JSON`() {
    #expect(throws: PayloadError(#"7.5 is no Int at "/n""#)) { try read(Int.self, "/n", #"{"n":7.5}"#) }
    #expect(throws: PayloadError(#"300 is no UInt8 at "/n""#)) { try read(UInt8.self, "/n", #"{"n":300}"#) }
    #expect(throws: PayloadError(#"2 is no Bool at "/n""#)) { try read(Bool.self, "/n", #"{"n":2}"#) }
  }

  @Test func `random documents are read as by walking through them`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var dice = Dice(seed: seed)
    let names = ["a", "b", "a/b", "~", "0", "1", ""]
    var found = 0
    for _ in 0..<2_000 {
      let document = Self.document(&dice, names, depth: 3)
      let json = String(
        decoding: try JSONSerialization.data(withJSONObject: document, options: .fragmentsAllowed),
        as: UTF8.self)
      let steps = (0..<dice.roll(4)).map { _ in dice.pick(names) }
      let pointer = steps.map {
        "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1")
      }.joined()
      let expected = Self.walk(document, steps)
      let actual = Result { try read(Int.self, pointer, json) }
      switch (expected, actual) {
      case (.number(let number), .success(let read)) where read == number: found += 1
      case (.nothing, .success(nil)), (.wrong, .failure): break
      default: Issue.record("seed \(seed): \(pointer) of \(json) is \(actual), not \(expected)")
      }
    }
    #expect(found > 50)
  }

  @Test func `damaged and hostile documents are refused, and do no harm`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var dice = Dice(seed: seed)
    let sound = Array(#"{"a":{"b":[1,{"c":"2"},null,true,-3.5e2]},"d":"\u00e9"}"#.utf8)
    let field = PayloadCoding.decoder(for: Int.self, at: try JSONPointer("/a/b/1/c"))
    let whole = PayloadCoding.decoder(for: [String: [String: Int]].self)
    #expect(try field(sound) == 2)
    for _ in 0..<3_000 {
      var bytes = sound
      for _ in 0...dice.roll(3) { bytes[dice.roll(bytes.count)] = UInt8(truncatingIfNeeded: dice.next()) }
      bytes.removeLast(dice.roll(4))
      for decode in [{ _ = try field(bytes) }, { _ = try whole(bytes) }] {
        do { try decode() } catch let error as PayloadError {
          #expect(!error.description.contains("\n"), "seed \(seed)")
        } catch {
          Issue.record("seed \(seed): \(error) for \(bytes)")
        }
      }
    }
    for open in ["[", #"{"a":"#] {
      let deep = Array(String(repeating: open, count: 100_000).utf8)
      #expect(throws: PayloadError.self) { try field(deep) }
    }
  }

  @Test func `names that a sender chose don't break the line of a problem`() throws {
    let name = String(repeating: "x", count: 1_000)
    let json = #"{"a\n\u001b[31mb\#(name)":{"c":"y"}}"#
    let error = #expect(throws: PayloadError.self) {
      try PayloadCoding.decoder(for: [String: [String: Int]].self)(Array(json.utf8))
    }
    let reason = try #require(error).description
    #expect(reason.hasPrefix(#""y" is no Int at "/a [31mbxxx"#) && reason.count == 200)
  }

  private enum Found { case number(Int), nothing, wrong }

  private static func document(_ dice: inout Dice, _ names: [String], depth: Int) -> Any {
    switch depth == 0 ? dice.roll(2) : dice.roll(6) {
    case 0: return dice.roll(100)
    case 1: return NSNull()
    case 2, 3: return (0..<dice.roll(3)).map { _ in document(&dice, names, depth: depth - 1) }
    default:
      var object: [String: Any] = [:]
      for name in names where dice.chance(60) { object[name] = document(&dice, names, depth: depth - 1) }
      return object
    }
  }

  private static func walk(_ document: Any, _ steps: [String]) -> Found {
    var place = document
    for step in steps {
      if place is NSNull { return .nothing }
      if let object = place as? [String: Any] {
        guard let next = object[step] else { return .nothing }
        place = next
      } else if let list = place as? [Any], ["0", "1"].contains(step), let index = Int(step) {
        guard index < list.count else { return .nothing }
        place = list[index]
      } else {
        return .wrong
      }
    }
    if place is NSNull { return .nothing }
    return (place as? Int).map { .number($0) } ?? .wrong
  }
}
