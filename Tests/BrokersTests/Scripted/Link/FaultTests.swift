import Brokers
import Foundation
import Peers
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FaultTests {
  private static let connect = Packet.connect(.init())

  @Test("A closed link gives the client all that was sent before its end, even if it never was read from")
  func close() async throws {
    let broker = try ScriptedBroker { link in
      try link.send(bytes: [UInt8](repeating: 7, count: 300_000))
      try link.close()
    }
    let client = try #require(RawClient(broker))
    client.send(bytes: [UInt8](repeating: 1, count: 10_000))
    #expect(client.receiveAll().count == 300_000)
    client.finishSending()
    try await broker.finish()
  }

  @Test("A reset is a reset to the client")
  func reset() async throws {
    let broker = try ScriptedBroker { link in
      try link.accept()
      try link.expect(.publish)
      try link.reset()
    }
    let client = try #require(RawClient(broker))
    try client.send(Self.connect)
    #expect(client.receive() == [0x20, 3, 0, 0, 0])
    try client.send(.publish("a", "x"))
    #expect(client.receive() == nil && errno == ECONNRESET)
    try await broker.finish()
  }

  @Test("A silent link reads and records, and says nothing at all until the client goes")
  func silence() async throws {
    let broker = try ScriptedBroker { link in
      try link.accept()
      try link.silence()
    }
    let client = try #require(RawClient(broker))
    try client.send(Self.connect, .pingreq, .subscribe(1, [.init("a")]))
    client.finishSending()
    #expect(client.receiveAll() == [0x20, 3, 0, 0, 0])
    try await broker.finish()
    #expect(broker.received(on: 0).map(\.kind) == [.connect, .pingreq, .subscribe])
  }

  @Test("A silent link that does not read sees the client go too", arguments: [true, false])
  func silenceWithoutReading(_ resets: Bool) async throws {
    let broker = try ScriptedBroker { link in
      try link.accept()
      try link.silence(reading: false)
    }
    var client = RawClient(broker)
    try client?.send(Self.connect)
    _ = client?.receive()
    try client?.send(.pingreq)
    if resets { client?.reset() }
    client = nil
    try await broker.finish()
    #expect(broker.received(on: 0).map(\.kind) == [.connect])
  }

  @Test("A foreign client survives none of: garbage, a reset, an end before the answer")
  func foreignClients() async throws {
    let broker = try ScriptedBroker(links: [
      { link in try link.send(bytes: Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)) },
      { link in
        try link.expectConnect()
        try link.reset()
      },
      { link in
        try link.expectConnect()
        try link.close()
      },
      { link in try link.serve() },
    ])
    for _ in 0..<3 { try await #expect(Client.publish(broker, "-t", "a", "-m", "x", "-q", "1").status != 0) }
    try await #expect(Client.publish(broker, "-t", "a", "-m", "x", "-q", "1").status == 0)
    try await broker.finish(links: 4)
  }

  @Test("A pause delays what follows it")
  func pause() async throws {
    let broker = try ScriptedBroker { link in
      try link.expectConnect()
      try link.pause(for: .milliseconds(200))
      try link.accept()
      try link.serve()
    }
    let client = try #require(RawClient(broker))
    let start = ContinuousClock.now
    try client.send(Self.connect)
    #expect(client.receive() == [0x20, 3, 0, 0, 0])
    #expect(ContinuousClock.now - start >= .milliseconds(200))
    client.finishSending()
    try await broker.finish()
  }
}
