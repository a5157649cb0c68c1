import Brokers
import MQTT
import Peers
import Signals
import Testing

extension LocalBroker.TLS {
  /// A listener that shows `pair`.
  static func showing(_ pair: Certificates.Pair, clientCAFile: String? = nil) -> LocalBroker.TLS {
    .certificate(file: pair.file, keyFile: pair.keyFile, clientCAFile: clientCAFile)
  }
}

extension ConnectionOptions {
  /// For a test, by the name that the certificates hold.
  init(_ broker: LocalBroker, _ tls: TLSOptions, _ version: ProtocolVersion = .v5) {
    self.init(broker, version)
    endpoint = .tcp(host: "localhost", port: Int(broker.port))
    self.tls = tls
  }
}

extension TLSOptions {
  /// Trusts the authority of the tests.
  static var trusting: TLSOptions { TLSOptions(caFile: Certificates.all.caFile) }
}

extension ScriptedBroker.Link {
  /// The hello of a client with TLS, without the head of its record.
  func expectHello() throws -> [UInt8] {
    let head = try expectBytes(5)
    return try expectBytes(Int(head[3]) << 8 + Int(head[4]))
  }
}

/// The cause of the first attempt that failed; it must not take longer than a person would wait for it.
func firstFailure(_ options: ConnectionOptions) async throws -> ConnectionError {
  let connection = try Connection(options)
  let (states, end) = record(connection)
  defer { end.dispose() }
  let begin = ContinuousClock.now
  connection.connect()
  var cause: ConnectionError?
  try await eventually("no failure") {
    for state in states.values {
      switch state {
      case .waiting(_, let error): cause = error
      case .closed(let error?): cause = error
      case .connected: throw UnexpectedConnection()
      default: continue
      }
      break
    }
    return cause != nil
  }
  // Ten times what is promised.
  #expect(ContinuousClock.now - begin < .seconds(50))
  await connection.close(deadline: .zero)
  return try #require(cause)
}

struct UnexpectedConnection: Error {}
