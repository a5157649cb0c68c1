import Brokers
import Peers
import Testing

/// Scripts that go as they should, with foreign clients.
@Suite(.timeLimit(.minutes(5)))
struct ScriptTests {
  static let versions = [("5", Packet.Version.v5), ("311", .v311)]

  @Test("A foreign publisher is understood in every packet, at every QoS", arguments: versions)
  func publisher(_ argument: String, _ version: Packet.Version) async throws {
    for qos in UInt8(0)...2 {
      let broker = try ScriptedBroker { link in
        let connect = try link.expectConnect()
        try link.accept()
        guard connect.version == version, connect.clientID == "pub", connect.keepAlive == 60 else {
          throw Surprise("\(connect)")
        }
        guard connect.user == "alice", connect.password == Array("s3cret".utf8) else {
          throw Surprise("login")
        }
        let publish = try link.expectPublish(to: "a/b", "hello", qos: qos)
        guard publish.retain else { throw Surprise("not retained") }
        if qos == 1 { try link.send(.puback(publish.id)) }
        if qos == 2 {
          try link.send(.pubrec(publish.id))
          try link.expectPubrel(publish.id)
          try link.send(.pubcomp(publish.id))
        }
        try link.expectDisconnect()
        try link.expectEnd()
      }
      let client = try Client.publish(
        broker, "-V", argument, "-i", "pub", "-u", "alice", "-P", "s3cret", "-q", "\(qos)", "-r", "-t", "a/b",
        "-m", "hello")
      try await broker.finish()
      #expect(await client.status == 0)
      #expect(broker.received(on: 0).first?.kind == .connect)
    }
  }

  @Test("A foreign subscriber gets answer and messages in one segment, and acknowledges", arguments: versions)
  func subscriber(_ argument: String, _ version: Packet.Version) async throws {
    let broker = try ScriptedBroker { link in
      try link.accept()
      let subscribe = try link.expectSubscribe(to: "a/#", "b")
      guard subscribe.filters.map(\.qos) == [2, 2] else { throw Surprise("\(subscribe)") }
      try link.send(
        .suback(subscribe.id, [.granted(1), .granted(0)]), .publish("a/b", "one", qos: 1, id: 7),
        .publish("b", "two"), .publish("a", "three", qos: 2, id: 9))
      try link.expectPuback(7)
      try link.expectPubrec(9)
      try link.send(.pubrel(9))
      try link.expectPubcomp(9)
      try link.expect(.disconnect)
    }
    let client = try Client.subscribe(
      broker, "-V", argument, "-q", "2", "-t", "a/#", "-t", "b", "-C", "3", "-F", "%t %q %p")
    try await broker.finish()
    #expect(await client.status == 0)
    #expect(client.lines == ["a/b 1 one", "b 0 two", "a 2 three"])
  }

  @Test("Answers in the smallest pieces are whole to the client", arguments: versions)
  func pieces(_ argument: String, _ version: Packet.Version) async throws {
    let broker = try ScriptedBroker { link in
      try link.expectConnect()
      try link.sendByteByByte(.connack())
      let subscribe = try link.expectSubscribe()
      try link.sendSplit(.suback(subscribe.id, [.granted(0)]), .publish("a", "hello"), at: [3, 7, 100])
      try link.expectDisconnect()
    }
    let client = try Client.subscribe(broker, "-V", argument, "-t", "a", "-C", "1")
    try await broker.finish()
    #expect(client.lines == ["hello"])
  }

  @Test("What is sent in pieces comes in pieces, and what is glued comes at once")
  func segments() async throws {
    let broker = try ScriptedBroker { link in
      try link.accept()
      try link.expect(.pingreq)
      try link.sendSplit(bytes: [1, 2, 3, 4], at: [1, 3], pause: .milliseconds(300))
      try link.send(.pingresp, .pingresp)
      try link.serve()
    }
    let client = try #require(RawClient(broker))
    try client.send(.connect(.init()))
    #expect(client.receive() == [0x20, 3, 0, 0, 0])
    try client.send(.pingreq)
    #expect(client.receive(2) == [0xD0, 0])
    #expect(client.receive() == [1])
    #expect(client.receive() == [2, 3])
    #expect(client.receive(1) == [4])
    #expect(client.receive() == [0xD0, 0, 0xD0, 0])
    client.finishSending()
    try await broker.finish()
  }

  @Test("Bytes that are no packet can be read as they are, and what is missing of them is told")
  func bytes() async throws {
    let broker = try ScriptedBroker { link in
      guard try link.expectBytes(3) == [0x16, 3, 1], try link.expectBytes(2) == [0, 9] else {
        throw Surprise("other bytes")
      }
      // Packets may follow.
      try link.expect(.pingreq)
      try link.send(.pingresp)
      _ = try link.expectBytes(4)
    }
    let client = try #require(RawClient(broker))
    client.send(bytes: [0x16, 3])
    client.send(bytes: [1, 0, 9, 0xC0, 0])
    #expect(client.receive() == [0xD0, 0])
    client.send(bytes: [1, 2, 3])
    client.finishSending()
    let error = await #expect(throws: ScriptedBrokerError.self) { try await broker.finish() }
    #expect("\(try #require(error))" == "link 0, step 5: expected 4 bytes, the client closed the connection")
    #expect(broker.received.map(\.packet) == [.pingreq])
  }

  @Test("Each client gets the script of its number, and those that come later the last one")
  func scriptsByNumber() async throws {
    let broker = try ScriptedBroker(links: [
      { link in try link.refuse(.serverBusy) },
      { link in
        try link.accept(sessionPresent: true)
        try link.serve()
        guard link.number > 0 else { throw Surprise("the first one came here") }
      },
    ])
    try await #expect(Client.publish(broker, "-V", "5", "-t", "a", "-m", "0").status != 0)
    for _ in 0..<2 { try await #expect(Client.publish(broker, "-V", "5", "-t", "a", "-m", "x").status == 0) }
    try await broker.finish(links: 3)
    #expect(broker.linkCount == 3)
    #expect(broker.received.filter { $0.packet.kind == .publish }.map(\.link) == [1, 2])
  }

  @Test("A refused client is told why, in either version", arguments: [("5", 0x87), ("311", 5)])
  func refuse(_ argument: String, _ reason: UInt8) async throws {
    let broker = try ScriptedBroker { try $0.refuse(Packet.Reason(rawValue: reason)) }
    let client = try Client.publish(broker, "-V", argument, "-t", "a", "-m", "x")
    #expect(await client.status == Int32(reason))
    try await broker.finish()
  }

  @Test("Without a script everything is answered until the client goes", arguments: versions)
  func serve(_ argument: String, _ version: Packet.Version) async throws {
    let broker = try ScriptedBroker(links: [])
    for qos in 0...2 {
      let client = try Client.publish(broker, "-V", argument, "-t", "a", "-m", "x", "-q", "\(qos)")
      #expect(await client.status == 0)
    }
    let subscriber = try Client.subscribe(broker, "-V", argument, "-t", "a", "-U", "b", "-E")
    #expect(await subscriber.status == 0)
    try await broker.finish(links: 4)
    #expect(broker.received(on: 2).map(\.kind) == [.connect, .publish, .pubrel, .disconnect])
  }

  @Test("A hook sees each packet first, and answers itself what it wants")
  func hook() async throws {
    let broker = try ScriptedBroker { link in
      var seen: [Packet.Kind] = []
      try link.serve { packet in
        seen.append(packet.kind)
        guard case .subscribe(let subscribe) = packet else { return false }
        try link.send(.suback(subscribe.id, [.notAuthorized]))
        return true
      }
      guard seen.starts(with: [.connect, .subscribe]) else { throw Surprise("\(seen)") }
    }
    let client = try Client.subscribe(broker, "-V", "5", "-t", "a", "-C", "1")
    // A client whose only subscription is refused gives up; with one that is granted it would wait for ever.
    _ = await client.status
    try await broker.finish()
  }

  @Test("Pings are answered behind the script's back, unless it wants them")
  func pings() async throws {
    let broker = try ScriptedBroker { link in
      try link.accept()
      try link.expectPublish(to: "a", "1")
      try link.expect(.pingreq)
      link.answersPings = false
      try link.expect(.pingreq)
      try link.send(bytes: [1, 2, 3])
      try link.expectDisconnect()
    }
    let client = try #require(RawClient(broker))
    try client.send(.connect(.init()), .pingreq, .publish("a", "1"), .pingreq, .pingreq, .disconnect())
    client.finishSending()
    #expect(client.receiveAll() == [0x20, 3, 0, 0, 0, 0xD0, 0, 0xD0, 0, 1, 2, 3])
    try await broker.finish()
    #expect(broker.received.filter { $0.packet == .pingreq }.count == 3)
  }

  @Test("A client that goes without waiting for its answers has all its packets read, and fails no script")
  func goneBeforeAnswer() async throws {
    for _ in 0..<20 {
      let broker = try ScriptedBroker(links: [
        { try $0.serve() },
        { link in
          try link.accept()
          try link.expectPublish(to: "a", "1")
          try link.expectPublish(to: "a", "2")
          try link.expectEnd()
        },
      ])
      for _ in 0..<2 {
        var client = RawClient(broker)
        try client?.send(.connect(.init()))
        #expect(client?.receive() == [0x20, 3, 0, 0, 0])
        // In one segment, because a client that leaves answers unread takes back what is not sent yet.
        let packets = ["1", "2"].flatMap { text in
          [Packet.publish("a", text, qos: 1, id: 1)] + Array(repeating: .pingreq, count: 10)
        }
        client?.send(bytes: try packets.flatMap { try $0.encoded(for: .v5) })
        client = nil
      }
      try await broker.finish(links: 2)
    }
  }

  @Test("The version can be a lie")
  func wrongVersion() async throws {
    let broker = try ScriptedBroker { link in
      try link.expectConnect()
      link.version = .v311
      try link.refuse(1)
    }
    let client = try #require(RawClient(broker))
    try client.send(.connect(.init()))
    #expect(client.receiveAll() == [0x20, 2, 0, 1])
  }

  @Test("A test can wait for a packet, and a script for a test")
  func waits() async throws {
    let isReady = Guarded(false)
    let broker = try ScriptedBroker { link in
      try link.accept()
      try link.wait(for: "the test") { isReady.withLock { $0 } }
      try link.serve()
    }
    let client = try Client.publish(broker, "-t", "a", "-m", "x", "-q", "1")
    try await broker.waitForPacket(.connect)
    isReady.withLock { $0 = true }
    guard case .publish(let publish) = try await broker.waitForPacket(.publish) else {
      throw Surprise("no message")
    }
    #expect(publish.text == "x")
    try await broker.finish()
    #expect(await client.status == 0)
  }
}

/// What a script did not expect.
struct Surprise: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
