import Brokers
import MQTT
import Peers
import Testing

/// What a broker says about a session, true or not, and what is sent again on the next link.
@Suite(.timeLimit(.minutes(3)))
struct SessionTests {
  private func options(_ broker: ScriptedBroker, _ version: ProtocolVersion) -> ConnectionOptions {
    var options = ConnectionOptions(broker, version)
    options.sessionExpiry = .seconds(600)
    return options
  }

  @Test("A session after a clean start is a lie, and not believed", arguments: ProtocolVersion.both)
  func claimed(_ version: ProtocolVersion) async throws {
    let broker = try ScriptedBroker { link in
      try link.accept(sessionPresent: true)
      if link.number > 0 { try link.serve() }
    }
    // Without a session each connect is a clean start.
    try await withConnection(ConnectionOptions(broker, version)) { _, recorder in
      try await eventually("not back") { recorder.history.sessions.count == 2 }
      #expect(recorder.history.sessions.allSatisfy { !$0.isPresent && $0.ignoredCleanStart })
    }
    try await broker.finish(links: 2)
  }

  @Test(
    "A session that a broker denies is gone to the client too, and what flew is sent again all the same",
    arguments: ProtocolVersion.both, [QoS.atLeastOnce, .exactlyOnce])
  func denied(_ version: ProtocolVersion, _ qos: QoS) async throws {
    let broker = try ScriptedBroker(links: [
      { link in
        try link.accept()
        try link.expectPublish(to: "t", "x", qos: UInt8(qos.rawValue))
      },
      { link in
        let connect = try link.accept(sessionPresent: false)
        guard !connect.cleanStart else { throw Surprise("a clean start") }
        try link.serve()
      },
    ])
    try await withConnection(options(broker, version)) { connection, recorder in
      let results = Collector<PublishResult>()
      connection.publish(Publish(try Topic("t"), "x", qos: qos)) { results.add($0) }
      try await eventually("not sent again") { results.count == 1 }
      #expect(results.values == [.acknowledged(.success)])
      #expect(recorder.history.sessions.map(\.isPresent) == [false, false])
      // Anything more would come before this.
      try await connection.publish(Publish(Topic("end"), "x"))
      #expect(results.count == 1)
    }
    let texts = published(broker, on: 1).map(\.topic)
    #expect(texts == ["t", "end"])
    try await broker.finish(links: 2)
  }

  @Test(
    "What a broker did not acknowledge is sent again in order, before newer messages, and settled once",
    arguments: ProtocolVersion.both)
  func again(_ version: ProtocolVersion) async throws {
    let broker = try ScriptedBroker(links: [
      { link in
        try link.accept()
        for number in 0..<5 { try link.expectPublish(to: "t", "\(number)", qos: 1) }
      },
      { link in
        try link.accept(sessionPresent: true)
        try link.serve()
      },
    ])
    try await withConnection(options(broker, version)) { connection, recorder in
      let results = Collector<Int>()
      for number in 0..<5 {
        connection.publish(Publish(try Topic("t"), "\(number)")) { _ in results.add(number) }
      }
      try await eventually("not back") { recorder.history.sessions.count == 2 }
      connection.publish(Publish(try Topic("t"), "5")) { _ in results.add(5) }
      try await eventually("not sent again") { results.count == 6 }
      #expect(results.values == Array(0...5) && recorder.history.sessions[1].isPresent)
    }
    #expect(published(broker, on: 1).map(\.text) == (0...5).map { "\($0)" })
    try await broker.finish(links: 2)
  }

  @Test(
    "QoS 2 cut off at any step arrives at least once, with and without a session",
    arguments: 0..<4, [false, true])
  func neverZero(_ step: Int, _ hasSession: Bool) async throws {
    let broker = try ScriptedBroker(links: [
      { link in
        try link.accept()
        let id = try link.expectPublish(to: "t", "x", qos: 2).id
        if step > 0 { try link.send(.pubrec(id)) }
        if step > 1 { try link.expectPubrel(id) }
        // The PUBCOMP breaks off.
        if step > 2 { try link.send(bytes: [0x70, 2, 0]) }
      },
      { link in
        try link.accept(sessionPresent: hasSession)
        try link.serve()
      },
    ])
    var options = ConnectionOptions(broker)
    if hasSession { options.sessionExpiry = .seconds(600) }
    try await withConnection(options) { connection, _ in
      try #expect(
        await connection.publish(Publish(Topic("t"), "x", qos: .exactlyOnce)) == .acknowledged(.success))
    }
    let again = published(broker, on: 1)
    #expect(again.map(\.text) == ["x"])
    // A broker of the session knows it by its id.
    if hasSession { #expect(again.map(\.id) == published(broker, on: 0).map(\.id) && again[0].isDuplicate) }
    try await broker.finish(links: 2)
  }

  @Test("QoS 2 is published exactly once inside a connection", arguments: ProtocolVersion.both)
  func exactlyOnce(_ version: ProtocolVersion) async throws {
    let broker = try ScriptedBroker { try $0.serve() }
    try await withConnection(ConnectionOptions(broker, version)) { connection, _ in
      let results = Collector<PublishResult>()
      for number in 0..<200 {
        connection.publish(Publish(try Topic("t"), "\(number)", qos: .exactlyOnce)) { results.add($0) }
      }
      try await eventually("stuck") { results.count == 200 }
    }
    let sent = published(broker, on: 0)
    #expect(sent.map(\.text) == (0..<200).map(String.init) && !sent.contains { $0.isDuplicate })
    #expect(broker.received(on: 0).count { $0.kind == .pubrel } == 200)
    try await broker.finish()
  }

  @Test(
    "Retained messages that a broker replays twice come twice, each marked", arguments: ProtocolVersion.both)
  func replayed(_ version: ProtocolVersion) async throws {
    let kept: [Packet] = [
      .publish("a/1", "1", qos: 1, retain: true, id: 1), .publish("a/2", "2", qos: 1, retain: true, id: 2),
    ]
    try await heldLink(version) { link in
      let subscribe = try link.expectSubscribe(to: "a/#")
      try link.send(bytes: link.bytes([.suback(subscribe.id, [.granted(1)])] + kept + kept))
      for id in [1, 2, 1, 2] as [UInt16] { try link.expectPuback(id) }
    } _: { connection, recorder in
      _ = try await connection.subscribe([Subscribe(TopicFilter("a/#"))])
      try await eventually("not all arrived") { recorder.count == 4 }
      #expect(recorder.texts == ["1", "2", "1", "2"])
      #expect(recorder.history.messages.allSatisfy { $0.isRetained })
    }
  }

  private func published(_ broker: ScriptedBroker, on link: Int) -> [Packet.Publish] {
    broker.received(on: link).compactMap { if case .publish(let publish) = $0 { publish } else { nil } }
  }
}
