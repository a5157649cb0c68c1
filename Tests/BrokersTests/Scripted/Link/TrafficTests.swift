import Brokers
import Peers
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TrafficTests {
  private static let payload = [UInt8](repeating: UInt8(ascii: "x"), count: 100)

  @Test("A foreign subscriber gets each message of a flood", arguments: [UInt8(0), 1])
  func flood(_ qos: UInt8) async throws {
    let count = 20_000
    let traffic = Guarded(ScriptedBroker.Traffic())
    let broker = try ScriptedBroker { link in
      try link.accept()
      let subscribe = try link.expectSubscribe(to: "a")
      try link.send(.suback(subscribe.id, [.granted(qos)]))
      let result = try link.flood(topic: "a", payload: Self.payload, qos: qos, count: count)
      traffic.withLock { $0 = result }
      try link.expectDisconnect()
    }
    let client = try Client.subscribe(
      broker, "-V", "5", "-q", "\(qos)", "-t", "a", "-C", "\(count)", "-F", "%q %l")
    try await broker.finish(within: .seconds(120))
    #expect(await client.status == 0)
    #expect(client.lines == Array(repeating: "\(qos) 100", count: count))
    let result = traffic.withLock { $0 }
    #expect(result.messages == count && result.acknowledged == (qos == 0 ? 0 : count))
    // A byte of type, one of length, three of topic, two of number with QoS 1, one of properties.
    let size = 106 + 2 * Int(qos)
    #expect(result.bytes == count * size)
    #expect(result.duration > .zero && result.rate > 0)
  }

  @Test(
    "A flood of QoS 1 keeps to the client's window, and its numbers go round without a zero",
    arguments: [3, 20])
  func window(_ window: UInt16) async throws {
    let count = window == 3 ? 1_000 : 66_000
    let broker = try ScriptedBroker { link in
      try link.accept()
      let traffic = try link.flood(topic: "a", payload: [], qos: 1, count: count)
      guard traffic.acknowledged == count, traffic.messages == count else { throw Surprise("\(traffic)") }
    }
    let client = try #require(RawClient(broker))
    try client.send(.connect(.init(properties: window == 20 ? [] : [.receiveMaximum(window)])))
    var decoder = PacketDecoder()
    var expected: UInt16 = 0
    var messages = 0
    var most = 0
    while messages < count, let bytes = client.receive(), !bytes.isEmpty {
      decoder.append(bytes)
      var acks: [UInt8] = []
      while let packet = try decoder.next() {
        guard case .publish(let publish) = packet else { continue }
        expected = expected == .max ? 1 : expected + 1
        messages += 1
        guard publish.id == expected else { throw Surprise("\(publish.id) in place of \(expected)") }
        acks += try Packet.puback(publish.id).encoded(for: .v5)
      }
      most = max(most, acks.count / 4)
      client.send(bytes: acks)
    }
    #expect(messages == count && most <= Int(window) && most > 1)
    // Nothing follows the last acknowledgement, and it must be enough.
    try await broker.finish()
    #expect(client.receiveAll().isEmpty)
  }

  @Test("A flood ends when the client goes, and says how far it came")
  func clientGoes() async throws {
    let broker = try ScriptedBroker { link in
      try link.accept()
      for qos in UInt8(0)...1 {
        let traffic = try link.flood(topic: "a", payload: Self.payload, qos: qos, count: .max)
        guard traffic.messages < 10_000_000, traffic.acknowledged == 0 else { throw Surprise("\(traffic)") }
      }
    }
    var client = RawClient(broker)
    try client?.send(.connect(.init()))
    _ = client?.receive(1_000)
    client = nil
    try await broker.finish()
  }

  @Test("A flood answers pings, and leaves other packets for the script")
  func pingsInFlood() async throws {
    let broker = try ScriptedBroker { link in
      try link.accept()
      try link.flood(topic: "a", payload: [], qos: 1, count: 2)
      try link.expectSubscribe(to: "b")
      try link.flood(topic: "a", payload: [], count: 1)
    }
    let client = try #require(RawClient(broker))
    try client.send(
      .connect(.init(properties: [.receiveMaximum(1)])), .pingreq, .subscribe(1, [.init("b")]), .puback(1),
      .puback(2))
    client.finishSending()
    let bytes = client.receiveAll()
    var decoder = PacketDecoder()
    decoder.append(bytes)
    var packets: [Packet] = []
    while let packet = try decoder.next() { packets.append(packet) }
    #expect(packets.contains(.pingresp))
    try await broker.finish()
  }

  @Test("A foreign publisher's messages all reach the sink, and are acknowledged", arguments: [0, 1, 2])
  func sink(_ qos: Int) async throws {
    let count = 5_000
    let traffic = Guarded(ScriptedBroker.Traffic())
    let broker = try ScriptedBroker { link in
      let result = try link.sink()
      traffic.withLock { $0 = result }
    }
    let client = try Client.publish(
      broker, "-V", "5", "-q", "\(qos)", "-t", "a", "-m", "hello", "--repeat", "\(count)", "--repeat-delay",
      "0")
    try await broker.finish(within: .seconds(120))
    #expect(await client.status == 0)
    let result = traffic.withLock { $0 }
    #expect(result.messages == count && result.acknowledged == (qos == 0 ? 0 : count))
    let size = qos == 0 ? 11 : 13
    #expect(result.bytes == count * size)
  }

  @Test("A sink ends at its limit, with what comes later left for the script; it answers all else")
  func limit() async throws {
    let broker = try ScriptedBroker { link in
      let traffic = try link.sink(3)
      guard traffic.messages == 3, traffic.acknowledged == 2 else { throw Surprise("\(traffic)") }
      try link.expectPublish(to: "a", "4")
    }
    let client = try #require(RawClient(broker))
    let large = String(repeating: "x", count: 1_000_000)
    try client.send(
      .connect(.init()), .publish("a", "1", qos: 1, id: 7), .subscribe(9, [.init("b", qos: 1)]), .pingreq,
      .publish("a", large), .publish("a", "3", qos: 2, id: 8), .publish("a", "4"))
    client.finishSending()
    // Acknowledgements are gathered, so they may come before or after other answers.
    #expect(
      client.receiveAll().sorted()
        == [0x20, 3, 0, 0, 0, 0x40, 2, 0, 7, 0xD0, 0, 0x90, 4, 0, 9, 0, 1, 0x50, 2, 0, 8].sorted())
    try await broker.finish()
  }
}
