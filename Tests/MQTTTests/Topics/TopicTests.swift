import MQTT
import Testing

struct TopicTests {
  @Test(
    "A topic that a broker drops the connection for is refused here",
    arguments: [
      "", "+", "#", "a/+", "a/#", "a+b", "a\0", "a\u{1F}", "a\u{80}", scalar(0xFFFF), scalar(0xFDEF),
      String(repeating: "a", count: 65_536), String(repeating: "ä", count: 32_768),
      String(repeating: "/", count: 201),
    ])
  func refuses(_ name: String) {
    #expect(throws: TopicError.self) { try Topic(name) }
  }

  @Test(
    "An unusual but legal topic is taken as it is",
    arguments: ["/", "a//b", "/a/", "$SYS/x", " ", "ä/€/😀", String(repeating: "a", count: 65_535)])
  func takes(_ name: String) throws {
    try #expect(Topic(name).name == name)
  }

  @Test("Topics are equal when their bytes are, not when they look the same")
  func bytesDecide() throws {
    let composed = try Topic("caf\u{E9}")
    let decomposed = try Topic("cafe\u{301}")
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed, try Topic("caf\u{E9}")]).count == 2)
  }
}
