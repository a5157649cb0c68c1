import Testing

@testable import MQTT

struct MessagePropertiesTests {
  @Test("Properties that say nothing are nothing, however they came to say it")
  func empty() throws {
    #expect(MessageProperties().isEmpty)
    var properties = MessageProperties(contentType: "text/plain", isText: true)
    #expect(!properties.isEmpty)
    properties.contentType = nil
    properties.isText = false
    #expect(properties.isEmpty && properties == MessageProperties() && properties.encodedSize == 0)
    properties.userProperties = [UserProperty("a", "b")]
    #expect(properties == MessageProperties(userProperties: [UserProperty("a", "b")]))
    #expect(properties.hashValue == MessageProperties(userProperties: [UserProperty("a", "b")]).hashValue)
  }

  @Test("A copy that is changed leaves the first one as it was")
  func values() throws {
    let first = MessageProperties(
      contentType: "a", expiry: .seconds(1), responseTopic: try Topic("r"), correlationData: [1],
      isText: true,
      userProperties: [UserProperty("k", "v")])
    var second = first
    second.correlationData = [2]
    #expect(first.correlationData == [1] && second.correlationData == [2] && first != second)
    second.correlationData = [1]
    #expect(first == second)
    #expect(second.contentType == "a" && second.expiry == .seconds(1) && second.isText)
    #expect(second.responseTopic?.name == "r" && second.userProperties.count == 1)
  }

  @Test("What is said can be read")
  func description() throws {
    let properties = MessageProperties(
      contentType: "a", responseTopic: try Topic("r"), correlationData: [1, 2], isText: true,
      userProperties: [UserProperty("k", "v")])
    let expected = "contentType: a, responseTopic: r, correlationData: 2 bytes, isText, k: v"
    #expect("\(properties)" == expected)
    #expect("\(MessageProperties())" == "")
  }

  @Test("Messages stay small: what most of them don't have takes a pointer")
  func sizes() {
    #expect(MemoryLayout<MessageProperties>.size == MemoryLayout<Int>.size)
    #expect(MemoryLayout<SubscriptionIdentifiers>.size == MemoryLayout<Int>.size)
    #expect(MemoryLayout<Message>.stride <= 48)
    #expect(MemoryLayout<Publish>.stride <= 40)
  }

  @Test("Subscription identifiers are a collection of none, one or more")
  func identifiers() {
    #expect(Array(SubscriptionIdentifiers()) == [])
    #expect(Array([7] as SubscriptionIdentifiers) == [7])
    #expect(Array([7, 268_435_455, 1] as SubscriptionIdentifiers) == [7, 268_435_455, 1])
    #expect([7] as SubscriptionIdentifiers != [8])
  }

  private static let long = String(repeating: "x", count: 65_536)
  private static let longest = String(repeating: "ä", count: 32_767) + "x"

  @Test(
    "Properties that would be sent wrongly are refused, with a line that names the one",
    arguments: [
      (.init(contentType: "a\u{0}"), "content type holds U+0"),
      (.init(contentType: long), "content type has 65536 bytes"),
      (.init(contentType: scalar(0xFDD0)), "content type holds U+FDD0"),
      (.init(expiry: .zero), "expiry"), (.init(expiry: .nanoseconds(-1)), "expiry"),
      (.init(expiry: .seconds(Int64.min)), "expiry"),
      (.init(correlationData: [UInt8](repeating: 0, count: 65_536)), "correlation data has 65536 bytes"),
      (.init(isText: true), "not UTF-8"),
      (.init(userProperties: [.init("ok", "ok"), .init("a\n", "b")]), "name of user property 2 holds U+A"),
      (.init(userProperties: [.init("key", "\u{85}")]), "value of user property \"key\" holds U+85"),
      (
        .init(userProperties: [.init("key", scalar(0x1FFFF))]), "value of user property \"key\" holds U+1FFFF"
      ),
      (.init(userProperties: [.init(long, "")]), "name of user property 1 has 65536 bytes"),
      (.init(userProperties: [.init("key", long)]), "value of user property \"key\" has 65536 bytes"),
    ] as [(MessageProperties, String)])
  func refuses(_ properties: MessageProperties, _ part: String) throws {
    let problem = properties.problem(payload: [0xFF])
    #expect(problem?.contains(part) == true, "\(String(describing: problem))")
    #expect(problem?.contains("\n") == false)
  }

  @Test(
    "Unusual but legal properties are taken",
    arguments: [
      .init(contentType: ""), .init(contentType: longest), .init(expiry: .nanoseconds(1)),
      .init(expiry: .seconds(Int64.max)), .init(correlationData: []),
      .init(correlationData: [UInt8](repeating: 0, count: 65_535)),
      .init(userProperties: [.init("", ""), .init("", ""), .init(longest, longest)]),
    ] as [MessageProperties])
  func takes(_ properties: MessageProperties) {
    #expect(properties.problem(payload: [0xFF]) == nil)
  }

  @Test("What is left of an expiry is never nothing, which brokers take for no end")
  func aged() {
    let start = ContinuousClock.now
    let properties = MessageProperties(contentType: "a", expiry: .seconds(10))
    let deadline = start + .seconds(10)
    #expect(properties.aged(until: deadline, at: start + .milliseconds(2_500)).expiry == .milliseconds(7_500))
    #expect(properties.aged(until: deadline, at: start + .seconds(99)).expiry?.wholeSeconds == 1)
    #expect(properties.aged(until: deadline, at: start).contentType == "a")
  }
}
