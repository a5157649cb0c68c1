import Brokers
import Foundation
import Peers
import Testing

@Suite(.timeLimit(.minutes(2)))
struct LocalBrokerTLSTests {
  private let certificates = Certificates.all

  @Test("A broker with a certificate serves TLS only, and says so in its url")
  func certificate() async throws {
    let server = certificates.server
    let tls = LocalBroker.TLS.certificate(file: server.file, keyFile: server.keyFile)
    try await LocalBroker.with(.init(tls: tls)) { broker in
      #expect(broker.url == "mqtts://127.0.0.1:\(broker.port)")
      try await #expect(publish(broker, ["-t", "t", "-m", "1", "--cafile", certificates.caFile]) == 0)
      try await #expect(publish(broker, ["-t", "t", "-m", "1"]) != 0)
    }
  }

  @Test("A broker can insist on client certificates")
  func clientCertificate() async throws {
    let (server, client) = (certificates.server, certificates.client)
    let tls = LocalBroker.TLS.certificate(
      file: server.file, keyFile: server.keyFile, clientCAFile: certificates.caFile)
    try await LocalBroker.with(.init(tls: tls)) { broker in
      let trusting = ["-t", "t", "-m", "1", "--cafile", certificates.caFile]
      let certified = trusting + ["--cert", client.file, "--key", client.keyFile]
      try await #expect(publish(broker, certified) == 0)
      try await #expect(publish(broker, trusting) != 0)
    }
  }

  @Test("A broker can take pre-shared keys, which only their owner can read")
  func preSharedKeys() async throws {
    try await LocalBroker.with(.init(tls: .preSharedKeys(["sensor": "c0ffee"]))) { broker in
      let arguments = ["-t", "t", "-m", "1", "--psk-identity", "sensor", "--psk"]
      try await #expect(publish(broker, arguments + ["c0ffee"]) == 0)
      try await #expect(publish(broker, arguments + ["c0ffef"]) != 0)
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(broker.folder)/keys")
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }
}
