import Fuzzing
import MQTT
import Testing

/// Topics and filters of random parts, against rules that are written down once more, level by level.
struct TopicFuzzTests {
  private static let parts = [
    "/", "/", "/", "a", "b", "ab", "+", "#", "+/", "/#", "$", "$share", "$share/", "$SYS", "é", "e\u{301}",
    "\u{1F600}",
    "\0", "\u{1F}", "\u{7F}", "\u{9F}", "\u{A0}", scalar(0xFDD0), scalar(0xFFFE), scalar(0x1_FFFF),
    scalar(0xFFFD), " ",
  ]

  @Test(
    "A topic or filter is taken exactly when the rules say so",
    arguments: [1, UInt64.random(in: 0...UInt64.max)])
  func rules(_ seed: UInt64) {
    var dice = Dice(seed: seed)
    var taken = 0
    for _ in 0..<10_000 {
      let text = Self.text(using: &dice)
      let filter = try? TopicFilter(text)
      #expect((filter != nil) == Self.isFilter(text), "seed \(seed): \(text.debugDescription)")
      #expect(((try? Topic(text)) != nil) == Self.isTopic(text), "seed \(seed): \(text.debugDescription)")
      if filter != nil { taken += 1 }
    }
    #expect(taken > 1_000)
  }

  @Test(
    "A filter matches what it matches level by level, and captures what its wildcards stood for",
    arguments: [2, UInt64.random(in: 0...UInt64.max)])
  func matching(_ seed: UInt64) throws {
    var dice = Dice(seed: seed)
    var matches = 0
    for _ in 0..<10_000 {
      let levels = (0...dice.roll(4)).map { _ in dice.pick(["a", "b", "+", "+", "", "é", "$x"]) }
      var name = levels.joined(separator: "/") + (dice.chance(30) ? "/#" : "")
      if name.isEmpty { name = "#" }
      let pattern = name
      if dice.chance(20) { name = "$share/g/" + name }
      let topic = (0...dice.roll(5)).map { _ in dice.pick(["a", "b", "", "é", "e\u{301}", "$x", "+", "#"]) }
        .joined(separator: "/")
      guard let filter = try? TopicFilter(name) else { continue }
      let expected = Self.captures(pattern, topic)
      #expect(
        filter.captures(topic).map { $0.map { Array($0.utf8) } } == expected,
        "seed \(seed): \(name), \(topic)")
      #expect(filter.matches(topic) == (expected != nil), "seed \(seed): \(name), \(topic)")
      if expected != nil { matches += 1 }
    }
    #expect(matches > 400)
  }

  private static func text(using dice: inout Dice) -> String {
    var text = (0...dice.roll(7)).map { _ in dice.pick(parts) }.joined()
    switch dice.roll(100) {
    case 0: text = ""
    case 1: text += String(repeating: "/", count: 198 + dice.roll(5))
    case 2: text = String(repeating: "ä", count: 32_766 + dice.roll(3)) + (dice.chance(50) ? "a" : "")
    case ..<20: text = "$share/" + text
    default: break
    }
    return text
  }

  // MARK: The rules

  /// MQTT 5, 1.5.4 and 4.7.3, and what mosquitto drops connections for.
  private static func isText(_ text: String) -> Bool {
    let forbidden = text.unicodeScalars.contains { scalar in
      scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value || 0xFDD0...0xFDEF ~= scalar.value
        || scalar.value % 0x1_0000 >= 0xFFFE
    }
    return 1...65_535 ~= text.utf8.count && !forbidden && levels(text).count <= 201
  }

  private static func isTopic(_ text: String) -> Bool {
    isText(text) && !text.utf8.contains(UInt8(ascii: "+")) && !text.utf8.contains(UInt8(ascii: "#"))
  }

  /// MQTT 5, 4.7.1 and 4.8.2.
  private static func isFilter(_ text: String) -> Bool {
    guard isText(text) else { return false }
    var levels = levels(text)
    if levels[0] == Array("$share".utf8) {
      guard levels.count > 2, !levels[1].isEmpty, !hasWildcard(levels[1]), levels[2...] != [[]] else {
        return false
      }
      levels.removeFirst(2)
    }
    return levels.indices.allSatisfy { index in
      let level = levels[index]
      return !hasWildcard(level) || level == plus || level == hash && index == levels.count - 1
    }
  }

  /// MQTT 5, 4.7.1 and 4.7.2.
  private static func captures(_ pattern: String, _ topic: String) -> [[UInt8]]? {
    guard !topic.isEmpty else { return nil }
    let pattern = levels(pattern)
    if topic.utf8.first == UInt8(ascii: "$"), hasWildcard(pattern[0]) { return nil }
    return captures(pattern[...], levels(topic)[...])
  }

  private static func captures(_ pattern: ArraySlice<[UInt8]>, _ topic: ArraySlice<[UInt8]>) -> [[UInt8]]? {
    if pattern.first == hash { return [Array(topic.joined(separator: [UInt8(ascii: "/")]))] }
    guard let level = pattern.first, let name = topic.first else {
      return pattern.isEmpty && topic.isEmpty ? [] : nil
    }
    guard level == plus || level == name else { return nil }
    return captures(pattern.dropFirst(), topic.dropFirst()).map { (level == plus ? [name] : []) + $0 }
  }

  private static let plus = [UInt8(ascii: "+")]
  private static let hash = [UInt8(ascii: "#")]

  private static func hasWildcard(_ level: [UInt8]) -> Bool {
    level.contains(plus[0]) || level.contains(hash[0])
  }

  private static func levels(_ text: String) -> [[UInt8]] {
    text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
  }
}
