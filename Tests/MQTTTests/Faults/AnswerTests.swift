import Brokers
import MQTT
import Peers
import Testing

/// The answers to SUBSCRIBE and UNSUBSCRIBE: none, refusals, and what comes around them.
@Suite(.timeLimit(.minutes(3)))
struct AnswerTests {
  @Test(
    "A SUBACK that never comes ends that call alone, and one that comes too late harms nothing",
    arguments: ProtocolVersion.both)
  func noSuback(_ version: ProtocolVersion) async throws {
    try await heldLink(version, options: { $0.acknowledgementDeadline = .milliseconds(300) }) { link in
      let late = try link.expectSubscribe(to: "a")
      // Only after that call has failed.
      let next = try link.expectSubscribe(to: "b")
      try link.send(.suback(late.id, [.granted(1)]), .suback(next.id, [.granted(1)]))
    } _: { connection, _ in
      let error = await #expect(throws: ConnectionError.self) {
        try await connection.subscribe([Subscribe(TopicFilter("a"))])
      }
      #expect("\(error as ConnectionError?)".contains("the broker did not answer a subscribe"))
      try #expect(await connection.subscribe([Subscribe(TopicFilter("b"))]) == [.granted(.atLeastOnce)])
    }
  }

  @Test("An UNSUBACK that never comes ends that call alone", arguments: ProtocolVersion.both)
  func noUnsuback(_ version: ProtocolVersion) async throws {
    try await heldLink(version, options: { $0.acknowledgementDeadline = .milliseconds(300) }) { link in
      try link.expectUnsubscribe(from: "a")
      let next = try link.expectUnsubscribe(from: "b", "c")
      try link.send(.unsuback(next.id, [.success, .noSubscriptionExisted]))
    } _: { connection, _ in
      let error = await #expect(throws: ConnectionError.self) {
        try await connection.unsubscribe([TopicFilter("a")])
      }
      if case .timedOut = error {} else { Issue.record("\(String(describing: error))") }
      try await connection.unsubscribe([TopicFilter("b"), TopicFilter("c")])
    }
  }

  private static let refusals: [(ProtocolVersion, ReasonCode)] =
    [(.v311, .unspecified)]
    + [
      .unspecified, .implementationSpecific, .notAuthorized, .topicFilterInvalid, .packetIdentifierInUse,
      .quotaExceeded, .sharedSubscriptionsNotSupported, .subscriptionIdentifiersNotSupported,
      .wildcardSubscriptionsNotSupported, ReasonCode(rawValue: 0xC7),
    ].map { (.v5, $0) }

  @Test(
    "Each refusal of a filter is its answer, and the others of the same call are granted", arguments: refusals
  )
  func refused(_ version: ProtocolVersion, _ code: ReasonCode) async throws {
    try await heldLink(version) { link in
      let subscribe = try link.expectSubscribe(to: "a", "b", "c")
      try link.send(
        .suback(
          subscribe.id, [.granted(1), Packet.Reason(rawValue: code.rawValue), .granted(0)],
          properties: [.reasonString("because")]))
    } _: { connection, _ in
      let filters = try ["a", "b", "c"].map { Subscribe(try TopicFilter($0)) }
      try #expect(
        await connection.subscribe(filters) == [
          .granted(.atLeastOnce), .refused(code), .granted(.atMostOnce),
        ])
    }
  }

  @Test(
    "Messages before, in and behind the segment of a SUBACK all arrive, in order, and are acknowledged",
    arguments: ProtocolVersion.both)
  func glued(_ version: ProtocolVersion) async throws {
    try await heldLink(version) { link in
      let subscribe = try link.expectSubscribe(to: "a/#")
      try link.send(.publish("a/1", "early", retain: true))
      try link.send(
        .suback(subscribe.id, [.granted(1)]), .publish("a/1", "1", qos: 1, id: 7), .publish("a/2", "2"),
        .publish("a/3", "3", qos: 1, id: 8))
      try link.expectPuback(7)
      try link.expectPuback(8)
      let unsubscribe = try link.expectUnsubscribe(from: "a/#")
      try link.send(.publish("a/4", "between", qos: 1, id: 9))
      try link.expectPuback(9)
      try link.send(.unsuback(unsubscribe.id, [.success]), .publish("a/5", "late"))
    } _: { connection, recorder in
      try #expect(await connection.subscribe([Subscribe(TopicFilter("a/#"))]) == [.granted(.atLeastOnce)])
      try await connection.unsubscribe([TopicFilter("a/#")])
      try await eventually("not all arrived") { recorder.count == 6 }
      #expect(recorder.texts == ["early", "1", "2", "3", "between", "late"])
      #expect(recorder.history.messages.map(\.isRetained) == [true] + Array(repeating: false, count: 5))
    }
  }

  @Test(
    "Answers in another order than the questions reach the right callers", arguments: ProtocolVersion.both)
  func outOfOrder(_ version: ProtocolVersion) async throws {
    try await heldLink(version) { link in
      let first = try link.expectSubscribe(to: "a")
      let second = try link.expectSubscribe(to: "b")
      try link.send(.suback(second.id, [.unspecifiedError]), .suback(first.id, [.granted(0)]))
    } _: { connection, _ in
      let answers = Collector<String>()
      for name in ["a", "b"] {
        connection.subscribe([Subscribe(try TopicFilter(name))]) { answers.add("\(name) \($0)") }
      }
      try await eventually("it hangs") { answers.count == 2 }
      #expect(
        Set(answers.values) == [
          "a \(Result<[SubscribeResult], ConnectionError>.success([.granted(.atMostOnce)]))",
          "b \(Result<[SubscribeResult], ConnectionError>.success([.refused(.unspecified)]))",
        ])
    }
  }

  @Test(
    "An UNSUBSCRIBE carries all filters of a call, and refusals in its answer end it",
    arguments: [0x80, 0x87])
  func refusedUnsubscribe(_ number: UInt8) async throws {
    try await heldLink(.v5) { link in
      let unsubscribe = try link.expectUnsubscribe(from: "a", "b/+", "c/#")
      try link.send(
        .unsuback(unsubscribe.id, [.success, Packet.Reason(rawValue: number), .noSubscriptionExisted]))
    } _: { connection, _ in
      // libmosquitto keeps the reasons to itself.
      try await connection.unsubscribe(["a", "b/+", "c/#"].map { try TopicFilter($0) })
    }
  }

  @Test(
    "Who asks for QoS 2 asks the broker for 1, in one packet with its equals", arguments: ProtocolVersion.both
  )
  func asked(_ version: ProtocolVersion) async throws {
    let broker = try await heldLink(version) { link in
      let zero = try link.expectSubscribe(to: "zero")
      let one = try link.expectSubscribe(to: "one", "two")
      try link.send(.suback(zero.id, [.granted(0)]), .suback(one.id, [.granted(1), .granted(2)]))
    } _: { connection, _ in
      let subscribes = [
        Subscribe(try TopicFilter("zero"), qos: .atMostOnce),
        Subscribe(try TopicFilter("one"), qos: .atLeastOnce),
        Subscribe(try TopicFilter("two"), qos: .exactlyOnce),
      ]
      // More than was asked for is what the broker says.
      try #expect(
        await connection.subscribe(subscribes)
          == [.granted(.atMostOnce), .granted(.atLeastOnce), .granted(.exactlyOnce)])
    }
    let filters: [[Packet.Subscribe.Filter]] = broker.received(on: 0).compactMap {
      if case .subscribe(let subscribe) = $0 { subscribe.filters } else { nil }
    }
    #expect(filters == [[.init("zero", qos: 0)], [.init("one", qos: 1), .init("two", qos: 1)]])
  }
}
