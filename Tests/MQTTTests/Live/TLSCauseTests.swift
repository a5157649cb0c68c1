import Brokers
import Foundation
import Peers
import Signals
import Testing

@testable import MQTT

@Suite(.timeLimit(.minutes(5)))
struct TLSCauseTests {
  private let certificates = Certificates.all

  private func expectFailure(
    _ failure: TLSFailure, at broker: LocalBroker, _ tls: TLSOptions = .trusting,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let error = try await firstFailure(ConnectionOptions(broker, tls))
    #expect(error == .tls(failure, broker: "localhost:\(broker.port)"), sourceLocation: sourceLocation)
  }

  @Test("A certificate that can't be trusted is refused, and the cause is told")
  func untrusted() async throws {
    let cases: [(Certificates.Pair, TLSOptions, TLSFailure)] = [
      (certificates.server, TLSOptions(caFile: certificates.otherCAFile), .unknownAuthority),
      (certificates.server, TLSOptions(), .unknownAuthority),
      (certificates.expired, .trusting, .expired),
      (certificates.notYetValid, .trusting, .notYetValid),
      (certificates.elsewhere, .trusting, .wrongHost),
      (certificates.selfSigned, .trusting, .selfSigned),
    ]
    for (pair, tls, failure) in cases {
      try await LocalBroker.with(.init(tls: .showing(pair))) { broker in
        try await expectFailure(failure, at: broker, tls)
        #expect(!broker.log.contains { $0.hasPrefix("New client connected") })
      }
    }
  }

  @Test("A mended certificate is found without a new connection")
  func mended() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mended-\(UUID().uuidString)")
      .path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let shown = Certificates.Pair(file: "\(folder)/a.pem", keyFile: "\(folder)/a.key")
    let show = { (pair: Certificates.Pair) in
      for (from, to) in [(pair.file, shown.file), (pair.keyFile, shown.keyFile)] {
        try Data(contentsOf: URL(fileURLWithPath: from)).write(to: URL(fileURLWithPath: to))
      }
    }
    try show(certificates.expired)
    try await LocalBroker.with(.init(tls: .showing(shown))) { broker in
      let connection = try Connection(ConnectionOptions(broker, .trusting))
      let (states, end) = record(connection)
      connection.connect()
      try await eventually("not refused") {
        states.values.contains { if case .waiting(_, .tls(.expired, _)) = $0 { true } else { false } }
      }
      try show(certificates.server)
      try await broker.restart()
      try await eventually("not connected") {
        states.values.contains { if case .connected = $0 { true } else { false } }
      }
      await connection.close()
      end.dispose()
    }
  }

  @Test("A client certificate that is missing or wrong is named", arguments: ["tlsv1.2", "tlsv1.3"])
  func clientCertificate(_ version: String) async throws {
    let tls = LocalBroker.TLS.showing(certificates.server, clientCAFile: certificates.caFile)
    try await LocalBroker.with(.init(tls: tls, configuration: ["tls_version \(version)"])) { broker in
      for _ in 0..<20 { try await expectFailure(.certificateRequired, at: broker) }
      var options = TLSOptions.trusting
      options.clientCertificate = .init(
        file: certificates.otherClient.file, keyFile: certificates.otherClient.keyFile)
      for _ in 0..<20 { try await expectFailure(.certificateRefused, at: broker, options) }
    }
  }

  @Test("A pre-shared key that the broker does not have is named")
  func preSharedKey() async throws {
    try await LocalBroker.with(.init(tls: .preSharedKeys(["sensor": "c0ffee"]))) { broker in
      for (identity, key) in [("sensor", "c0ffef"), ("stranger", "c0ffee")] {
        let tls = TLSOptions(preSharedKey: .init(identity: identity, key: key))
        try await expectFailure(.badPSK, at: broker, tls)
      }
    }
  }

  @Test("A broker with certificates, which nobody checks here, can't pass for one with the key")
  func preSharedKeyAgainstCertificates() async throws {
    for version in ["tlsv1.2", "tlsv1.3"] {
      let options = LocalBroker.Options(
        tls: .showing(certificates.server), configuration: ["tls_version \(version)"])
      try await LocalBroker.with(options) { broker in
        let tls = TLSOptions(preSharedKey: .init(identity: "sensor", key: "c0ffee"))
        try await expectFailure(.badPSK, at: broker, tls)
        #expect(!broker.log.contains { $0.hasPrefix("New client connected") })
      }
    }
  }

  @Test("A client without TLS at a port with it is told so", arguments: [ProtocolVersion.v5, .v311])
  func expectsTLS(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with(.init(tls: .showing(certificates.server))) { broker in
      let error = try await firstFailure(ConnectionOptions(broker, version))
      // With OpenSSL 3.0 the broker only closes.
      #expect("\(error)".contains("use mqtts://"), "\(error)")
    }
    // The alert that other brokers send: no such version.
    let server = try ScriptedBroker { link in
      try link.expectConnect()
      try link.send(bytes: [0x15, 3, 1, 0, 2, 2, 70])
    }
    var options = ConnectionOptions(server)
    options.version = version
    try await #expect(
      firstFailure(options) == .tls(.expectsTLS, broker: "127.0.0.1:\(server.port)"))
  }

  @Test("A client with TLS at a port without it is told so")
  func notTLS() async throws {
    try await LocalBroker.with { broker in try await expectFailure(.notTLS, at: broker) }
  }

  @Test(
    "What answers something else than TLS is told apart from what is slow",
    arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", " \u{02}\0\0\0\0", "SSH-2.0-OpenSSH_9.2\r\n"])
  func foreignServer(_ answer: String) async throws {
    let server = try ScriptedBroker { link in
      _ = try link.expectHello()
      try link.send(bytes: Array(answer.utf8))
      try link.silence(reading: false)
    }
    var options = ConnectionOptions(host: "localhost", port: Int(server.port))
    options.tls = .trusting
    try await #expect(firstFailure(options) == .tls(.notTLS, broker: "localhost:\(server.port)"))
  }

  @Test("A handshake that breaks off in the middle is a lost link")
  func breaksOff() async throws {
    let server = try ScriptedBroker { link in
      _ = try link.expectHello()
      // The first bytes of a record of 80 bytes.
      try link.send(bytes: [0x16, 3, 3, 0, 80, 2, 0, 0, 76])
    }
    var options = ConnectionOptions(host: "localhost", port: Int(server.port))
    options.tls = .trusting
    try await #expect(
      firstFailure(options) == .linkLost("the broker closed it before it was accepted"))
  }

  @Test(
    "Something that listens and stays silent ends by the deadline, and keeps no processor busy until then")
  func silentServer() async throws {
    let server = try ScriptedBroker(reception: .ignoring) { try $0.silence(reading: false) }
    var options = ConnectionOptions(host: "localhost", port: Int(server.port))
    options.tls = .trusting
    options.connectDeadline = .milliseconds(300)
    options.backoff = .init(initial: .seconds(600), maximum: .seconds(600))
    let connection = try Connection(options)
    let (states, end) = record(connection)
    connection.connect()
    try await eventually("it hangs") {
      states.values.contains { if case .waiting(_, .timedOut) = $0 { true } else { false } }
    }
    #expect(connection.mailbox.loopCount < 20)
    await connection.close()
    end.dispose()
  }

  @Test("A link that was opened too late is closed again, not kept")
  func openedTooLate() async throws {
    let closed = Collector<Int>()
    let server = try ScriptedBroker { link in
      try link.silence(reading: false)
      closed.add(link.number)
    }
    var options = ConnectionOptions(host: "localhost", port: Int(server.port))
    options.tls = .trusting
    options.connectDeadline = .nanoseconds(1)
    options.backoff = .init(initial: .seconds(600), maximum: .seconds(600))
    let connections = try (0..<20).map { _ in try Connection(options) }
    for connection in connections { connection.connect() }
    try await eventually("only \(closed.count) closed") { closed.count == 20 }
    for connection in connections { await connection.close(deadline: .zero) }
  }

  @Test("A port where nobody listens is told at once", arguments: ["localhost", "127.0.0.1"])
  func refusingPort(_ host: String) async throws {
    let server = try ScriptedBroker(reception: .refusing) { try $0.silence() }
    let port = Int(server.port)
    var options = ConnectionOptions(host: host, port: port)
    options.tls = .trusting
    let error = try await firstFailure(options)
    #expect(
      error
        == .unreachable(address: "\(host):\(port)", reason: String(cString: strerror(ECONNREFUSED))))
  }

  @Test("A host that does not exist is told")
  func unknownHost() async throws {
    var options = ConnectionOptions(host: "no-such-host.invalid", port: 8883)
    options.tls = .trusting
    options.connectDeadline = .seconds(60)
    let error = try await firstFailure(options)
    guard case .unresolved("no-such-host.invalid", _) = error else { return #expect(Bool(false), "\(error)") }
  }
}
