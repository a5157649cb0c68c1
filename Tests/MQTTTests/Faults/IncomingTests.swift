import Brokers
import MQTT
import Peers
import Testing

/// Messages as brokers send them: ids used again, copies, QoS 2 that nobody asked for.
@Suite(.timeLimit(.minutes(3)))
struct IncomingTests {
  @Test("An id that comes again stands for a message of its own", arguments: ProtocolVersion.both)
  func reusedID(_ version: ProtocolVersion) async throws {
    try await heldLink(version) { link in
      for number in 0..<3 {
        try link.send(.publish("a", "\(number)", qos: 1, id: 7))
        try link.expectPuback(7)
      }
      // A copy is a message too: QoS 1 is at least once.
      try link.send(.publish("a", "2", qos: 1, isDuplicate: true, id: 7))
      try link.expectPuback(7)
      try link.send(.publish("a", "last", qos: 1, id: 65_535))
      try link.expectPuback(65_535)
    } _: { _, recorder in
      try await eventually("not all arrived") { recorder.count == 5 }
      #expect(recorder.texts == ["0", "1", "2", "2", "last"])
    }
  }

  @Test("QoS 2 that a broker sends unasked comes once, when it is released", arguments: ProtocolVersion.both)
  func exactlyOnce(_ version: ProtocolVersion) async throws {
    let isHeld = Collector<Int>()
    try await heldLink(version) { link in
      try link.send(.publish("a", "1", qos: 2, id: 1), .publish("a", "2", qos: 2, id: 2))
      try link.expectPubrec(1)
      try link.expectPubrec(2)
      isHeld.add(1)
      try link.wait(for: "the test to have looked") { isHeld.count == 2 }
      try link.send(.pubrel(2), .pubrel(1), .pubrel(1))
      for id in [2, 1, 1] as [UInt16] { try link.expectPubcomp(id) }
    } _: { _, recorder in
      try await eventually("no PUBREC") { isHeld.count == 1 }
      #expect(recorder.count == 0)
      isHeld.add(2)
      try await eventually("not all arrived") { recorder.count == 2 }
      #expect(recorder.texts == ["2", "1"])
      #expect(recorder.history.messages.allSatisfy { $0.qos == .exactlyOnce })
    }
  }

  @Test(
    "QoS 2 that was not released is forgotten with its link: its id brings the new message",
    arguments: [false, true])
  func forgotten(_ hasSession: Bool) async throws {
    let broker = try ScriptedBroker { link in
      try link.accept(sessionPresent: hasSession && link.number > 0)
      guard link.number > 0 else {
        try link.send(.publish("a", "old", qos: 2, id: 1))
        try link.expectPubrec(1)
        return
      }
      // With a session the broker sends it again.
      for text in hasSession ? ["old", "new"] : ["new"] {
        try link.send(.publish("a", text, qos: 2, isDuplicate: text == "old", id: 1))
        try link.expectPubrec(1)
        try link.send(.pubrel(1))
        try link.expectPubcomp(1)
      }
      try link.serve()
    }
    var options = ConnectionOptions(broker)
    if hasSession { options.sessionExpiry = .seconds(600) }
    try await withConnection(options) { _, recorder in
      try await eventually("not all arrived") { recorder.texts.last == "new" }
      #expect(recorder.texts == (hasSession ? ["old", "new"] : ["new"]))
    }
    try await broker.finish(links: 2)
  }

  @Test("Payloads of any bytes and topics of any length arrive as they are", arguments: ProtocolVersion.both)
  func anyBytes(_ version: ProtocolVersion) async throws {
    let topic = String(repeating: "ä", count: 32_767) + "x"
    try await heldLink(version) { link in
      try link.send(
        .publish(topic, [], qos: 1, id: 1), .publish("a", Array(0...255)), .publish("a//b/", [0]),
        .publish("😀/ö", [0xFF]))
      try link.expectPuback(1)
    } _: { _, recorder in
      try await eventually("not all arrived") { recorder.count == 4 }
      #expect(recorder.history.messages.map(\.topic) == [topic, "a", "a//b/", "😀/ö"])
      #expect(recorder.history.messages.map(\.payload) == [[], Array(0...255), [0], [0xFF]])
    }
  }
}
