import Brokers
import Peers
import Testing

/// Scripts that fail, and what they say.
@Suite(.timeLimit(.minutes(5)))
struct FailureTests {
  private static let connect = Packet.connect(.init(clientID: "c"))

  /// What `finish` throws when a client sends packets, and then ends its side if it `ends`.
  private func failure(
    _ packets: [Packet], ends: Bool = true, patience: Duration = .seconds(30),
    _ script: @escaping ScriptedBroker.Script
  ) async throws -> String {
    let broker = try ScriptedBroker(patience: patience, script: script)
    let client = try #require(RawClient(broker))
    for packet in packets { try client.send(packet) }
    if ends { client.finishSending() }
    do {
      try await broker.finish()
      return "no failure"
    } catch {
      return "\(error)"
    }
  }

  @Test("A packet that was not expected is named, with the one that was")
  func unexpected() async throws {
    let subscribe = Packet.subscribe(3, [.init("b", qos: 1)])
    try #expect(
      await failure([Self.connect, subscribe, .puback(8)]) { link in
        try link.accept()
        let subscribe = try link.expectSubscribe(to: "b")
        try link.send(.suback(subscribe.id, [.granted(1)]), .publish("b", "x", qos: 1, id: 7))
        try link.expectPuback(7)
      } == "link 0, step 4: expected PUBACK 7, got PUBACK 8")
    try #expect(
      await failure([Self.connect, .pingreq]) { link in
        link.answersPings = false
        try link.accept()
        try link.expectPuback(7)
      } == "link 0, step 2: expected PUBACK 7, got PINGREQ")
    try #expect(
      await failure([Self.connect, subscribe]) { link in
        try link.accept()
        try link.expectSubscribe(to: "a/#", "b")
      } == #"link 0, step 2: expected SUBSCRIBE to "a/#", "b", got SUBSCRIBE 3 to "b" (QoS 1)"#)
    try #expect(
      await failure([Self.connect, .publish("a", "secret")]) { link in
        try link.accept()
        try link.expectPublish(to: "a", "x", qos: 1)
      } == #"link 0, step 2: expected PUBLISH to "a", QoS 1, "x", got PUBLISH to "a", QoS 0, 6 bytes"#)
    try #expect(
      await failure([Self.connect, .disconnect()]) { link in
        try link.accept()
        try link.expect(exactly: .disconnect(.disconnectWithWill))
      } == "link 0, step 2: expected exactly DISCONNECT 0x04, got DISCONNECT")
    try #expect(
      await failure([.pingreq]) { link in try link.serve() }
        == "link 0, step 1: expected CONNECT, got PINGREQ")
    try #expect(
      await failure([Self.connect, Self.connect]) { link in try link.serve() }
        == #"link 0, step 1: expected no second CONNECT, got CONNECT from "c", MQTT 5, keep-alive 60 s, clean start"#
    )
    try #expect(
      await failure([Self.connect, .unsubscribe(1, ["a"])]) { link in
        try link.accept()
        try link.expectNothing(for: .seconds(20))
      } == #"link 0, step 2: expected nothing for 20.0 seconds, got UNSUBSCRIBE 1 from "a""#)
    try #expect(
      await failure([Self.connect, .pubrel(4)]) { link in
        try link.accept()
        try link.expectEnd()
      } == "link 0, step 2: expected the end of the connection, got PUBREL 4")
  }

  @Test("A client that goes, or says nothing, is named with what it owes")
  func missing() async throws {
    try #expect(
      await failure([Self.connect]) { link in
        try link.accept()
        try link.expectDisconnect()
      } == "link 0, step 2: expected DISCONNECT, the client closed the connection")
    try #expect(
      await failure([]) { link in try link.accept() }
        == "link 0, step 1: expected CONNECT, the client closed the connection")
    try #expect(
      await failure([Self.connect], ends: false, patience: .milliseconds(50)) { link in
        try link.accept()
        try link.expectUnsubscribe(from: "a")
      } == #"link 0, step 2: expected UNSUBSCRIBE from "a", nothing came within 0.05 seconds"#)
    try #expect(
      await failure([Self.connect], ends: false, patience: .milliseconds(50)) { link in
        try link.accept()
        try link.wait(for: "a sign") { false }
      } == "link 0, step 2: waited for a sign for 0.05 seconds, in vain")
  }

  @Test("A client that resets the connection, or stops inside a packet, is told from one that closes")
  func brokenEnds() async throws {
    let broker = try ScriptedBroker { link in
      try link.accept()
      try link.expectDisconnect()
    }
    var client = RawClient(broker)
    try client?.send(Self.connect)
    _ = client?.receive()
    client?.reset()
    client = nil
    await #expect(throws: step(2, "expected DISCONNECT, the client reset the connection")) {
      try await broker.finish()
    }

    let second = try ScriptedBroker { link in try link.serve { _ in throw Surprise("not whole") } }
    let partial = try #require(RawClient(second))
    partial.send(bytes: [0x10, 10, 0])
    partial.finishSending()
    try await second.finish()

    let third = try ScriptedBroker { link in try link.expectConnect() }
    let other = try #require(RawClient(third))
    other.send(bytes: [0x10, 10, 0])
    other.finishSending()
    await #expect(throws: step(1, "expected CONNECT, the client closed the connection inside a packet")) {
      try await third.finish()
    }
  }

  @Test("A malformed packet is named with what is wrong in it")
  func malformed() async throws {
    let broker = try ScriptedBroker { link in
      try link.accept()
      try link.expectSubscribe()
    }
    let client = try #require(RawClient(broker))
    try client.send(Self.connect)
    client.send(bytes: [0x82, 7, 0, 1, 0, 0, 1, 0x61, 3])
    await #expect(
      throws: step(2, "expected SUBSCRIBE, got a malformed SUBSCRIBE: the QoS of filter 1 is 3")
    ) { try await broker.finish() }
  }

  @Test("An error of the script's own is passed on with its place")
  func ownError() async throws {
    try #expect(
      await failure([Self.connect]) { link in
        try link.accept()
        throw Surprise("too much rain")
      } == "link 0, step 1: the script threw too much rain")
  }

  @Test("What a script can't send, or sends after the end, is its failure")
  func sending() async throws {
    try #expect(
      await failure([.connect(.init(version: .v311))]) { link in
        try link.accept()
        try link.send(.auth(.success))
      } == "link 0, step 2: can't send AUTH: is not a packet of MQTT 3.1.1")
    try #expect(
      await failure([Self.connect]) { link in
        try link.accept()
        try link.close()
        try link.send(.pingresp)
      } == "link 0, step 3: the script has closed the link")
  }

  @Test("A client that reads nothing fails the script that sends without end")
  func unread() async throws {
    let text = try await failure([Self.connect], ends: false, patience: .milliseconds(100)) { link in
      try link.accept()
      try link.send(bytes: [UInt8](repeating: 0, count: 50_000_000))
    }
    #expect(text.hasPrefix("link 0, step 2: sent "))
    #expect(text.hasSuffix(" of 50000000 bytes, then the client read nothing for 0.1 seconds"))
  }

  @Test("The first failure ends the wait, whatever the other scripts do")
  func firstFailure() async throws {
    let broker = try ScriptedBroker(links: [
      { try $0.silence() },
      { link in try link.expectConnect() },
    ])
    let silent = try #require(RawClient(broker))
    try await eventually { broker.linkCount == 1 }
    let second = try #require(RawClient(broker))
    try second.send(.pingreq)
    await #expect(
      throws: ScriptedBrokerError.step(link: 1, step: 1, problem: "expected CONNECT, got PINGREQ")
    ) {
      try await broker.finish(within: .seconds(600))
    }
    // All links are closed by then.
    #expect(silent.receive() == [])
  }

  @Test("A finish that waits in vain names what did not happen")
  func unfinished() async throws {
    let lonely = try ScriptedBroker { try $0.serve() }
    let none = ScriptedBrokerError.fewerLinks(0, expected: 1, within: .milliseconds(50))
    await #expect(throws: none) { try await lonely.finish(within: .milliseconds(50)) }
    #expect("\(none)" == "0 of 1 clients came within 0.05 seconds")

    let broker = try ScriptedBroker { link in
      try link.accept()
      try link.serve()
    }
    let client = try #require(RawClient(broker))
    try client.send(Self.connect)
    _ = client.receive()
    try await eventually { broker.received.count == 1 }
    let waiting = await #expect(throws: ScriptedBrokerError.self) {
      try await broker.finish(within: .milliseconds(300))
    }
    #expect(
      "\(try #require(waiting))"
        == "link 0, step 2: serving did not end within 0.3 seconds; end the client first, or call stop()")
  }

  @Test("A wait for a packet ends by its limit, or by the failure of a script")
  func waitForPacket() async throws {
    let broker = try ScriptedBroker { try $0.serve() }
    let client = try #require(RawClient(broker))
    try client.send(Self.connect)
    await #expect(
      throws: ScriptedBrokerError.notReceived(.publish, 0, expected: 2, within: .milliseconds(50))
    ) { try await broker.waitForPacket(.publish, count: 2, within: .milliseconds(50)) }
    try client.send(Self.connect)
    let error = await #expect(throws: ScriptedBrokerError.self) { try await broker.waitForPacket(.publish) }
    #expect("\(try #require(error))".contains("no second CONNECT"))
    #expect(broker.failure as? ScriptedBrokerError == error)
  }

  private func step(_ step: Int, _ problem: String) -> ScriptedBrokerError {
    .step(link: 0, step: step, problem: problem)
  }
}
