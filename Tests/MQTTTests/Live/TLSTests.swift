import Brokers
import Foundation
import Peers
import Signals
import Testing

@testable import MQTT

@Suite(.timeLimit(.minutes(5)))
struct TLSTests {
  private let certificates = Certificates.all

  /// Publishes to itself, and gives what came.
  private func echo(_ options: ConnectionOptions) async throws -> [String] {
    try await withConnection(options) { connection, recorder in
      _ = try await connection.subscribe([Subscribe(TopicFilter("a"))])
      try await connection.publish(Publish(Topic("a"), "through TLS"))
      try await eventually("not delivered") { recorder.count == 1 }
      return recorder.texts
    }
  }

  @Test(
    "A broker whose authority is known is connected to, by file and by folder, in both versions",
    arguments: [ProtocolVersion.v5, .v311], [false, true])
  func knownAuthority(_ version: ProtocolVersion, _ isFolder: Bool) async throws {
    try await LocalBroker.with(.init(tls: .showing(certificates.server))) { broker in
      let tls = isFolder ? TLSOptions(caFolder: certificates.caFolder) : .trusting
      try await #expect(echo(ConnectionOptions(broker, tls, version)) == ["through TLS"])
    }
  }

  @Test("A numeric address is checked against the addresses of the certificate")
  func numericHost() async throws {
    try await LocalBroker.with(.init(tls: .showing(certificates.server))) { broker in
      var options = try ConnectionOptions(url: broker.url)
      #expect(options.endpoint == .tcp(host: "127.0.0.1", port: Int(broker.port)))
      options.tls?.caFile = certificates.caFile
      try await #expect(echo(options) == ["through TLS"])
    }
  }

  @Test("A self-signed certificate is trusted once it is named")
  func pinned() async throws {
    try await LocalBroker.with(.init(tls: .showing(certificates.selfSigned))) { broker in
      let options = ConnectionOptions(broker, TLSOptions(caFile: certificates.selfSigned.file))
      try await #expect(echo(options) == ["through TLS"])
    }
  }

  @Test(
    "A client certificate opens a broker that asks for one, with an encrypted key too",
    arguments: ["tlsv1.2", "tlsv1.3"], [false, true])
  func clientCertificate(_ version: String, _ isEncrypted: Bool) async throws {
    let tls = LocalBroker.TLS.showing(certificates.server, clientCAFile: certificates.caFile)
    let lines = ["tls_version \(version)", "use_identity_as_username true"]
    try await LocalBroker.with(.init(tls: tls, configuration: lines)) { broker in
      var options = ConnectionOptions(broker, .trusting)
      options.tls?.clientCertificate =
        isEncrypted
        ? .init(
          file: certificates.client.file, keyFile: certificates.encryptedKey,
          keyPassword: Certificates.password)
        : .init(file: certificates.client.file, keyFile: certificates.client.keyFile)
      try await #expect(echo(options) == ["through TLS"])
      try await broker.waitForLog("u'client'")
    }
  }

  @Test("The protocol asked for by ALPN and the name of the host reach the broker")
  func hello() async throws {
    let hello = Collector<[UInt8]>()
    let server = try ScriptedBroker { hello.add(try $0.expectHello()) }
    var options = ConnectionOptions(host: "localhost", port: Int(server.port))
    options.tls = TLSOptions(caFile: certificates.caFile, applicationProtocol: "x-amzn-mqtt-ca")
    try await #expect(firstFailure(options) == .tls(.notTLS, broker: "localhost:\(server.port)"))
    let body = String(decoding: try #require(hello.values.first), as: UTF8.self)
    #expect(body.contains("\u{0E}x-amzn-mqtt-ca") && body.contains("localhost"))
  }

  @Test("A broker that knows nothing of ALPN is connected to all the same")
  func applicationProtocol() async throws {
    try await LocalBroker.with(.init(tls: .showing(certificates.server))) { broker in
      var options = ConnectionOptions(broker, .trusting)
      options.tls?.applicationProtocol = "mqtt"
      try await #expect(echo(options) == ["through TLS"])
    }
  }

  @Test("A pre-shared key opens a broker that knows it", arguments: [ProtocolVersion.v5, .v311])
  func preSharedKey(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with(.init(tls: .preSharedKeys(["sensor": "00c0ffee"]))) { broker in
      let tls = TLSOptions(preSharedKey: .init(identity: "sensor", key: "00C0FFEE"))
      try await #expect(echo(ConnectionOptions(broker, tls, version)) == ["through TLS"])
    }
  }

  @Test("Payloads of 10 MB go both ways")
  func largePayloads() async throws {
    try await LocalBroker.with(.init(tls: .showing(certificates.server))) { broker in
      try await withConnection(ConnectionOptions(broker, .trusting)) { connection, recorder in
        _ = try await connection.subscribe([Subscribe(TopicFilter("a"))])
        let payload = (0..<10_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        for index in 1...3 {
          try await connection.publish(Publish(Topic("a"), payload))
          try await eventually("not delivered") { recorder.count == index }
        }
        #expect(recorder.history.messages.allSatisfy { $0.payload == payload })
      }
    }
  }

  @Test(
    "10,000 small messages all arrive, in order", arguments: [QoS.atMostOnce, .atLeastOnce, .exactlyOnce])
  func manyMessages(_ qos: QoS) async throws {
    let lines = ["max_queued_messages 0", "max_inflight_messages 0"]
    try await LocalBroker.with(.init(tls: .showing(certificates.server), configuration: lines)) { broker in
      try await withConnection(ConnectionOptions(broker, .trusting)) { connection, recorder in
        _ = try await connection.subscribe([Subscribe(TopicFilter("a"), qos: min(qos, .atLeastOnce))])
        let topic = try Topic("a")
        let results = Collector<PublishResult>()
        let publish = { @Sendable (range: Range<Int>) in
          for index in range { connection.publish(Publish(topic, "\(index)", qos: qos)) { results.add($0) } }
        }
        publish(0..<10_000)
        try await eventually("stalled at \(results.count) results") { results.count == 10_000 }
        try await eventually("stalled at \(recorder.count) messages") { recorder.count == 10_000 }
        #expect(results.values.allSatisfy { $0.isSuccess })
        #expect(recorder.texts == (0..<10_000).map(String.init))
      }
    }
  }

  @Test("Packets that share a TLS record are all read, though the socket is silent after the first")
  func sharedRecords() async throws {
    let server = try ScriptedBroker { link in
      var received: [Packet] = []
      var released: [Packet] = []
      try link.serve { packet in
        switch packet {
        case .publish(let publish) where publish.qos == 2:
          received.append(.pubrec(publish.id))
          if received.count == 50 { try link.send(bytes: link.bytes(received)) }
          return true
        case .pubrel(let ack):
          released.append(.pubcomp(ack.id))
          if released.count == 50 { try link.send(bytes: link.bytes(released)) }
          return true
        default: return false
        }
      }
    }
    let door = try SecureDoor(certificates.server, to: server.port)
    var options = ConnectionOptions(host: "localhost", port: Int(door.port))
    options.tls = .trusting
    options.backoff = .init(initial: .milliseconds(20), maximum: .milliseconds(200))
    try await withConnection(options) { connection, recorder in
      let topic = try Topic("a")
      let results = Collector<PublishResult>()
      // Fills what libmosquitto would be woken by: from then on it stops reading at each answer of its own.
      for _ in 0..<1_000 { connection.publish(Publish(topic, "x")) { results.add($0) } }
      try await eventually("stalled at \(results.count)") { results.count == 1_000 }
      for _ in 0..<50 { connection.publish(Publish(topic, "x", qos: .exactlyOnce)) { results.add($0) } }
      try await eventually("stalled at \(results.count)") { results.count == 1_050 }
      #expect(results.values.allSatisfy { $0.isSuccess })
    }
  }

  @Test("The broker is found again each time that it dies")
  func reconnects() async throws {
    try await LocalBroker.with(.init(tls: .showing(certificates.server))) { broker in
      try await withConnection(ConnectionOptions(broker, .trusting)) { connection, recorder in
        for round in 1...20 {
          await broker.kill()
          try await broker.restart()
          try await eventually("not back") { recorder.history.sessions.count == round + 1 }
          try await connection.publish(Publish(Topic("a"), "\(round)"))
        }
        #expect(recorder.history.causes.count == 20)
      }
    }
  }

  @Test("Many connections at once, the first of the process among them, don't disturb each other")
  func manyAtOnce() async throws {
    try await LocalBroker.with(.init(tls: .showing(certificates.server))) { broker in
      try await withThrowingTaskGroup(of: [String].self) { group in
        for _ in 0..<16 {
          group.addTask { try await withConnection(ConnectionOptions(broker, .trusting)) { _, _ in ["up"] } }
        }
        for try await result in group { #expect(result == ["up"]) }
      }
    }
  }

  @Test("An idle secure connection sleeps")
  func sleeps() async throws {
    try await LocalBroker.with(.init(tls: .showing(certificates.server))) { broker in
      try await withConnection(ConnectionOptions(broker, .trusting)) { connection, _ in
        try await connection.publish(Publish(Topic("a"), "x"))
        let before = connection.mailbox.loopCount
        try await Task.sleep(for: .milliseconds(300))
        #expect(connection.mailbox.loopCount - before <= 3)
      }
    }
  }

  @Test("Closing while a name is still looked up, or right after connecting, harms nothing")
  func closesEarly() async throws {
    try await LocalBroker.with(.init(tls: .showing(certificates.server))) { broker in
      for round in 0..<50 {
        var options = ConnectionOptions(broker, .trusting)
        options.connectDeadline = round % 2 == 0 ? .microseconds(100) : .seconds(60)
        let connection = try Connection(options)
        connection.connect()
        await connection.close(deadline: round % 3 == 0 ? .zero : .milliseconds(2))
      }
      try await #expect(echo(ConnectionOptions(broker, .trusting)) == ["through TLS"])
    }
  }
}
