import MQTT
import Testing

struct TopicFilterTests {
  @Test(
    "A filter gets the topics the specification gives it, and no other",
    arguments: [
      ("a/b", "a/b", true), ("a/b", "a/c", false), ("a/b", "a", false), ("a", "a/b", false),
      ("a/b", "A/b", false), ("a", "a/", false), ("a/", "a", false), ("/a", "a", false),
      ("+", "a", true), ("+", "/a", false), ("/+", "/a", true), ("+/+", "/a", true), ("+/+", "/", true),
      ("+", "a/", false), ("a/+", "a/", true), ("a/+", "a", false), ("a/+/c", "a//c", true),
      ("a/+/c", "a/b/c", true), ("a/+/c", "a/b/b/c", false), ("+/b", "a/b", true), ("+/b", "a/b/c", false),
      ("#", "a", true), ("#", "a/b/c", true), ("#", "/", true), ("a/#", "a", true), ("a/#", "a/", true),
      ("a/#", "a/b/c", true), ("a/#", "ab", false), ("a/#", "b", false), ("a/b/#", "a", false),
      ("a/+/#", "a/b", true), ("a/+/#", "a", false), ("a/+/#", "a/b/c/d", true), ("+/#", "a", true),
      ("#", "$SYS/x", false), ("+/x", "$SYS/x", false), ("+/#", "$SYS", false), ("$SYS/#", "$SYS/x", true),
      ("$SYS/#", "$SYS", true), ("a/#", "a/$b", true), ("a/+", "a/$b", true),
      ("a/#", "a/+", true), ("a/b", "a/+", false), ("a/+", "a/#", true), ("a/b", "a/#", false),
      ("$share/g/a/+", "a/b", true), ("$share/g/a/+", "$share/g/a/b", false), ("$share/g/#", "$SYS/x", false),
      ("$share/g//a", "/a", true), ("é", "e\u{301}", false), ("a", "", false),
    ])
  func matches(_ name: String, _ topic: String, _ expected: Bool) throws {
    let filter = try TopicFilter(name)
    #expect(filter.matches(topic) == expected)
    #expect((filter.captures(topic) != nil) == expected)
  }

  @Test(
    "What the wildcards stood for can be asked",
    arguments: [
      ("a/b", "a/b", []), ("+/b/+", "a/b/c", ["a", "c"]), ("a/#", "a/b/c", ["b/c"]), ("a/#", "a", [""]),
      ("a/+", "a/", [""]), ("#", "a/b", ["a/b"]), ("+/#", "a/b/c", ["a", "b/c"]), ("a/#", "a/+/#", ["+/#"]),
      ("$share/g/+/x", "y/x", ["y"]),
    ] as [(String, String, [String])])
  func captures(_ name: String, _ topic: String, _ expected: [String]) throws {
    try #expect(TopicFilter(name).captures(topic) == expected)
  }

  @Test(
    "A bad filter is refused here, not by a broker that then drops the connection",
    arguments: [
      "", "a+", "+a", "a#", "#/a", "a/#/b", "a/b#", "a/+b", "##", "++", "a/\0", "a\u{1}", "a\u{7F}",
      "a\u{9F}",
      scalar(0xFFFE), scalar(0xFDD0), scalar(0x1FFFF), "$share", "$share/", "$share/g", "$share/g/",
      "$share//x",
      "$share/a+/x", "$share/#/x", "$share/+/x", "$share/g/a+", "$share/g/#/a",
      String(repeating: "a", count: 65_536), String(repeating: "/", count: 201),
    ])
  func refuses(_ name: String) {
    #expect(throws: TopicError.self) { try TopicFilter(name) }
  }

  @Test(
    "An unusual but legal filter is taken as it is",
    arguments: [
      "/", "//", "+", "#", "a/", "/a", "+/+/#", "$SYS/#", "$shared/x", "$share/g/#", "$share/g//", "a b",
      "ä/€",
      String(repeating: "a", count: 65_535), String(repeating: "/", count: 200),
    ])
  func takes(_ name: String) throws {
    try #expect(TopicFilter(name).name == name)
  }

  @Test("The group of a shared filter and its pattern are told apart")
  func shared() throws {
    let shared = try TopicFilter("$share/workers/jobs/+")
    #expect(shared.sharedGroup == "workers")
    #expect(shared.pattern == "jobs/+")
    try #expect(TopicFilter("jobs/+").sharedGroup == nil)
  }
}

/// A topic with a scalar that Swift takes in no literal.
func scalar(_ value: UInt32) -> String {
  "a/" + String(Unicode.Scalar(value).map { Character($0) } ?? "?")
}
