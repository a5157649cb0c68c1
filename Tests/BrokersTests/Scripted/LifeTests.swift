import Brokers
import Foundation
import Peers
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ScriptedBrokerLifeTests {
  /// Scripts that wait in each way there is.
  private static let waits: [ScriptedBroker.Script] = [
    { try $0.serve() },
    { try $0.silence() },
    { try $0.silence(reading: false) },
    { try $0.pause(for: .seconds(3_600)) },
    { try $0.wait(for: "ever") { false } },
    { try $0.expectDisconnect() },
    { try $0.sink() },
    { try $0.send(bytes: [UInt8](repeating: 0, count: 50_000_000)) },
    { try $0.flood(topic: "a", payload: [1], count: .max) },
    { try $0.flood(topic: "a", payload: [1], qos: 1, count: .max) },
  ]

  @Test("A stop ends every wait of a script at once, without a failure, and closes the links")
  func stop() async throws {
    let broker = try ScriptedBroker(patience: .seconds(3_600), links: Self.waits)
    let clients = try Self.waits.map { _ in try #require(RawClient(broker)) }
    try await eventually { broker.linkCount == Self.waits.count }
    await broker.stop()
    #expect(broker.failure == nil)
    for client in clients { _ = client.receiveAll() }
    #expect(RawClient(broker) == nil)
    await broker.stop()
    #expect(throws: ScriptedBrokerError.stopped) { try broker.receive(.ignoring) }
  }

  @Test("200 brokers, with a client each, leave no descriptor open when they are stopped")
  func descriptors() async throws {
    var brokers: [ScriptedBroker] = []
    var held: Set<Int32> = []
    for index in 0..<200 {
      let script = Self.waits[index % Self.waits.count]
      let broker = try ScriptedBroker(script: script)
      var client = RawClient(broker)
      try client?.send(Packet.connect(.init()))
      client = nil
      try await eventually { broker.linkCount == 1 }
      if index < 10 { held.formUnion(sockets(at: broker.port)) }
      await broker.stop()
      #expect(sockets(at: broker.port).isEmpty)
      brokers.append(broker)
    }
    #expect(!held.isEmpty, "the count counts nothing")
    #expect(brokers.count == 200)
  }

  @Test("Brokers that were stopped hold no descriptor of any kind, while their objects live")
  func allDescriptors() async throws {
    let before = pipes()
    var brokers: [ScriptedBroker] = []
    for _ in 0..<200 {
      let broker = try ScriptedBroker { try $0.serve() }
      await broker.stop()
      brokers.append(broker)
    }
    // Other tests hold some, but 200 brokers would hold 400.
    #expect(pipes() - before < 200)
    #expect(brokers.count == 200)
  }

  @Test("A broker that nobody refers to any more goes away by itself, with its links")
  func dropped() async throws {
    var broker: ScriptedBroker? = try ScriptedBroker { try $0.serve() }
    let port = try #require(broker?.port)
    let client = try #require(broker.flatMap(RawClient.init))
    try await eventually { broker?.linkCount == 1 }
    broker = nil
    #expect(client.receiveAll().isEmpty)
    try await eventually { sockets(at: port).isEmpty }
  }

  @Test("Who comes is served, ignored or refused, as the broker is told, and its port stays")
  func receptions() async throws {
    let broker = try ScriptedBroker(reception: .refusing) { try $0.serve() }
    #expect(RawClient(broker) == nil)
    try broker.receive(.ignoring)
    let ignored = try #require(RawClient(broker))
    try ignored.send(.connect(.init()))
    #expect(broker.linkCount == 0)
    try broker.receive(.serving)
    #expect(ignored.receive() == [0x20, 3, 0, 0, 0])
    try broker.receive(.refusing)
    #expect(RawClient(broker) == nil)
    try ignored.send(.pingreq)
    #expect(ignored.receive() == [0xD0, 0])
    try broker.receive(.serving)
    try await #expect(Client.publish(broker, "-t", "a", "-m", "x", "-q", "1").status == 0)
    ignored.finishSending()
    try await broker.finish(links: 2)
  }

  @Test("A client that is ignored is reset when the broker refuses")
  func ignoredThenRefused() async throws {
    let broker = try ScriptedBroker(reception: .ignoring) { try $0.serve() }
    let client = try #require(RawClient(broker))
    try broker.receive(.refusing)
    #expect(client.receive() == nil && errno == ECONNRESET)
    await broker.stop()
  }

  @Test("A second broker at the same port says so, also while the first one refuses")
  func portInUse() async throws {
    let first = try ScriptedBroker { try $0.serve() }
    #expect(throws: ScriptedBrokerError.portInUse(first.port)) {
      try ScriptedBroker(at: .loopback(port: first.port)) { try $0.serve() }
    }
    await first.stop()
    // Another test that looks for a free port may hold it for a moment.
    var taken: ScriptedBroker?
    try await eventually("the port stays in use") {
      taken = try? ScriptedBroker(at: .loopback(port: first.port)) { try $0.serve() }
      return taken != nil
    }
    let second = try #require(taken)
    try await #expect(Client.publish(second, "-t", "a", "-m", "x").status == 0)
    try await second.finish()
  }

  @Test("A broker at a path serves there, and the path is gone after it")
  func unixPath() async throws {
    let path = temporaryPath()
    let broker = try ScriptedBroker(at: .unix(path: path)) { try $0.serve() }
    #expect(broker.port == 0 && broker.url == "unix://\(path)")
    try await #expect(Client.publish(broker, "-t", "a", "-m", "x", "-q", "1").status == 0)
    #expect(throws: ScriptedBrokerError.unusablePath(path, "Address already in use")) {
      try ScriptedBroker(at: .unix(path: path)) { try $0.serve() }
    }
    try broker.receive(.refusing)
    try await #expect(Client.publish(broker, "-t", "a", "-m", "x", "-q", "1").status != 0)
    try broker.receive(.serving)
    try await #expect(Client.publish(broker, "-t", "a", "-m", "x", "-q", "1").status == 0)
    try await broker.finish(links: 2)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("A path that can't be a socket is named with the reason")
  func unusablePath() {
    let long = "/tmp/" + String(repeating: "x", count: 200)
    let error = #expect(throws: ScriptedBrokerError.self) {
      try ScriptedBroker(at: .unix(path: long)) { try $0.serve() }
    }
    #expect(error?.description.contains("it has 205 bytes") == true)
    #expect(throws: ScriptedBrokerError.unusablePath("/no/such/place", "No such file or directory")) {
      try ScriptedBroker(at: .unix(path: "/no/such/place")) { try $0.serve() }
    }
  }

  /// The descriptors of this process that are sockets bound to a local port.
  private func sockets(at port: UInt16) -> [Int32] {
    (0..<1_024).filter { descriptor in
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let code = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
      }
      return code == 0 && address.sin_family == sa_family_t(AF_INET) && address.sin_port == port.bigEndian
    }
  }

  /// How many pipe ends this process holds.
  private func pipes() -> Int {
    (0..<Int32(4_096)).count { descriptor in
      var status = stat()
      return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }
  }
}
