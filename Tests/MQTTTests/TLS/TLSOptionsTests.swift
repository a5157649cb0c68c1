import Foundation
import Peers
import Testing

@testable import MQTT

struct TLSOptionsTests {
  private let certificates = Certificates.all

  /// What is said about `tls` before anything is sent.
  private func complaint(_ tls: TLSOptions, at endpoint: Endpoint = .tcp(host: "localhost", port: 8883))
    -> String?
  {
    var options = ConnectionOptions(endpoint: endpoint)
    options.tls = tls
    do {
      _ = try Connection(options)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("What can work is taken")
  func accepts() {
    let client = TLSOptions.ClientCertificate(
      file: certificates.client.file, keyFile: certificates.client.keyFile)
    #expect(complaint(TLSOptions()) == nil)
    #expect(complaint(TLSOptions(caFile: certificates.caFile, caFolder: certificates.caFolder)) == nil)
    #expect(complaint(TLSOptions(clientCertificate: client, applicationProtocol: "mqtt")) == nil)
    #expect(complaint(TLSOptions(preSharedKey: .init(identity: "a", key: "00aF"))) == nil)
  }

  @Test("A file that can't be used is named, with what is wrong")
  func refusesFiles() throws {
    let (ca, client, other) = (certificates.caFile, certificates.client, certificates.otherClient)
    let pair = { TLSOptions.ClientCertificate(file: $0, keyFile: $1, keyPassword: $2) }
    let cases: [(TLSOptions, [String])] = [
      (TLSOptions(caFile: "/nowhere/ca.pem"), ["/nowhere/ca.pem", "No such file"]),
      (TLSOptions(caFile: client.keyFile), [client.keyFile, "no certificate"]),
      (TLSOptions(caFolder: "/nowhere"), ["/nowhere", "No such file"]),
      (TLSOptions(caFolder: certificates.unhashedFolder), ["openssl rehash \(certificates.unhashedFolder)"]),
      (TLSOptions(caFile: ca, clientCertificate: pair("/nowhere/c", client.keyFile, nil)), ["/nowhere/c"]),
      (TLSOptions(caFile: ca, clientCertificate: pair(client.file, "/nowhere/k", nil)), ["/nowhere/k"]),
      (
        TLSOptions(caFile: ca, clientCertificate: pair(client.keyFile, client.keyFile, nil)),
        [client.keyFile, "no certificate"]
      ),
      (
        TLSOptions(caFile: ca, clientCertificate: pair(client.file, client.file, nil)),
        [client.file, "no key"]
      ),
      (
        TLSOptions(caFile: ca, clientCertificate: pair(client.file, other.keyFile, nil)),
        [client.file, other.keyFile, "does not belong"]
      ),
      (
        TLSOptions(caFile: ca, clientCertificate: pair(client.file, certificates.encryptedKey, nil)),
        [certificates.encryptedKey, "keyPassword"]
      ),
      (
        TLSOptions(caFile: ca, clientCertificate: pair(client.file, certificates.encryptedKey, "wr0ng")),
        [certificates.encryptedKey, "another password"]
      ),
    ]
    for (tls, words) in cases {
      let problem = try #require(complaint(tls))
      for word in words { #expect(problem.contains(word), "\(problem)") }
      #expect(!problem.contains("\n") && !problem.contains("wr0ng"))
    }
  }

  @Test("What could not be sent as it is, or contradicts itself, is refused")
  func refusesValues() {
    func key(_ identity: String, _ key: String) -> TLSOptions {
      TLSOptions(preSharedKey: .init(identity: identity, key: key))
    }
    let long = String(repeating: "a", count: 255)
    var both = key("a", "00")
    both.caFile = certificates.caFile
    let refused = [
      key("", "00"), key(String(long.prefix(128)), "00"), key("a\0", "00"), key("a", ""), key("a", "0"),
      key("a", "0g"), key("a", "٠٠"), key("a", String(repeating: "0", count: 514)),
      TLSOptions(applicationProtocol: ""), TLSOptions(applicationProtocol: long),
      TLSOptions(applicationProtocol: "a\0"), TLSOptions(caFile: ""), TLSOptions(caFolder: "a\0"), both,
    ]
    for tls in refused { #expect(complaint(tls) != nil, "\(tls)") }
    #expect(complaint(TLSOptions(applicationProtocol: String(long.dropLast()))) == nil)
    #expect(complaint(key(String(long.prefix(127)), String(repeating: "0", count: 512))) == nil)
  }

  @Test("TLS over a Unix domain socket is refused by name")
  func unixSocket() throws {
    try #expect(#require(complaint(TLSOptions(), at: .unix(path: "/run/x"))).contains("Unix domain socket"))
  }

  @Test("Keys and passwords show nowhere, the rest does")
  func secretsAreHidden() throws {
    let shared = TLSOptions(preSharedKey: .init(identity: "sensor", key: "c0ffee5ec7e7"))
    let client = TLSOptions.ClientCertificate(file: "/c.pem", keyFile: "/c.key", keyPassword: "c0ffee5ec7e7")
    var secure = ConnectionOptions(host: "h")
    secure.tls = shared
    let certified = TLSOptions(clientCertificate: client)
    let error = ConnectionError.invalid(try #require(complaint(certified)))
    for value in [shared, shared.preSharedKey as Any, client, certified, secure, error] as [Any] {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] {
        #expect(!text.contains("c0ffee5ec7e7"))
        #expect(text.contains("sensor") || text.contains("/c.pem"))
      }
    }
    var mirrored = ""
    for child in Mirror(reflecting: shared).children { mirrored += "\(child)" }
    #expect(!mirrored.contains("c0ffee5ec7e7"))
  }

  @Test(
    "Only what OpenSSL looks for counts as a hashed name",
    arguments: [
      ("0a1b2c3d.0", true), ("0a1b2c3d.12", true), ("0a1b2c3d", false), ("0a1b2c3d.r0", false),
      ("ca.pem", false),
      ("0a1b2c3.0", false), ("0a1b2c3g.0", false), ("0a1b2c3d.", false), (".", false), ("..", false),
    ])
  func hashedNames(_ name: String, _ isHash: Bool) {
    #expect(TLSOptions.isHash(name) == isHash)
  }
}
