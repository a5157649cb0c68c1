import Testing

@testable import MQTT

struct PublishTests {
  @Test("The size of a packet is exact where its length field grows")
  func sizes() throws {
    let topic = try Topic("abc")
    // After the length: 5 bytes of topic, and 1 for no properties in MQTT 5, 2 for the id above QoS 0.
    for (payload, expected) in [(0, 8), (121, 129), (122, 131), (16_377, 16_386), (16_378, 16_388)] {
      let publish = Publish(topic, [UInt8](repeating: 0, count: payload), qos: .atMostOnce)
      #expect(publish.packetSize(.v5) == expected, "\(payload)")
    }
    #expect(Publish(topic, "", qos: .atMostOnce).packetSize(.v311) == 7)
    #expect(Publish(topic, "", qos: .exactlyOnce).packetSize(.v311) == 9)
  }

  @Test("Each property counts with what it takes on the wire")
  func propertySizes() throws {
    let plain = Publish(try Topic("t"), "")
    let cases: [(MessageProperties, Int)] = [
      (.init(contentType: "abc"), 6), (.init(contentType: ""), 0), (.init(expiry: .seconds(1)), 5),
      (.init(responseTopic: try Topic("r/ä")), 7), (.init(correlationData: []), 3),
      (.init(correlationData: [1, 2]), 5), (.init(isText: true), 2),
      (.init(userProperties: [.init("k", "vw"), .init("", "")]), 13),
    ]
    for (properties, size) in cases {
      var publish = plain
      publish.properties = properties
      #expect(publish.packetSize(.v5) == plain.packetSize(.v5) + size)
      #expect(publish.packetSize(.v311) == plain.packetSize(.v311))
      #expect(publish.weight == plain.weight + size)
    }
  }

  @Test("A message that no packet can hold is refused, to the byte")
  func tooLarge() throws {
    let topic = try Topic("t")
    // After the length: 3 bytes of topic, 2 of id, 1 of properties.
    let payload = [UInt8](repeating: 0, count: 268_435_455 - 6)
    #expect(Publish(topic, payload).problem == nil)
    #expect(Publish(topic, payload + [0]).problem?.contains("268,435,455") == true)
    #expect(Publish(topic, payload + [0, 0], qos: .atMostOnce).problem == nil)
  }

  @Test("A text may be said to be one, anything else may not")
  func text() throws {
    let topic = try Topic("t")
    #expect(Publish(topic, "ä", properties: .init(isText: true)).problem == nil)
    #expect(Publish(topic, [0xC3], properties: .init(isText: true)).problem != nil)
  }

  @Test(
    "A will that would make a CONNECT that can't be read is refused",
    arguments: [
      (65_536, .zero, .init(), "65536 bytes"), (1, .seconds(-1), .init(), "negative"),
      (1, .zero, .init(contentType: "\u{1}"), "content type"),
    ] as [(Int, Duration, MessageProperties, String)])
  func badWill(_ bytes: Int, _ delay: Duration, _ properties: MessageProperties, _ part: String) throws {
    let will = Will(
      try Topic("t"), [UInt8](repeating: 0, count: bytes), delay: delay, properties: properties)
    #expect(will.problem?.contains(part) == true)
    #expect(throws: ConnectionError.self) {
      var options = ConnectionOptions(host: "127.0.0.1")
      options.will = will
      _ = try Connection(options)
    }
    #expect(Will(try Topic("t"), [UInt8](repeating: 0, count: 65_535)).problem == nil)
  }

  @Test("A subscription that brokers drop the connection for is refused, and names its filter")
  func badSubscribe() throws {
    let shared = try TopicFilter("$share/g/a")
    #expect(Subscribe(shared, noLocal: true).problem?.contains("$share/g/a") == true)
    #expect(Subscribe(shared).problem == nil)
    for identifier in [0, 268_435_456] as [UInt32] {
      #expect(Subscribe(shared, identifier: identifier).problem?.contains("\(identifier)") == true)
    }
    for identifier in [1, 268_435_455] as [UInt32] {
      #expect(Subscribe(shared, identifier: identifier).problem == nil)
    }
  }
}
