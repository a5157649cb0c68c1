import Signals

/// Opens links by name, for TLS: the library checks the certificate against the name, and sends it to brokers that
/// serve several, so it has to look it up by itself. That may block for minutes, so it is done on a thread that nobody
/// waits for and that owns the fresh handle until it is handed over.
enum Opener {
  /// Whether the library has set up its part of OpenSSL, which it does at the first socket and in no lock.
  private static let isReady = Lock(false)

  static func open(
    _ options: ConnectionOptions, address: Address, version: ProtocolVersion, cleanStart: Bool,
    resuming resumption: Resumption?,
    completion: @escaping @Sendable (Result<HandOver, ConnectionError>) -> Void
  ) {
    let started = startThread("mqtt-open") {
      completion(
        Result { () throws(ConnectionError) in
          try make(options, address, version, cleanStart: cleanStart, resuming: resumption)
        })
    }
    if !started {
      completion(.failure(.unreachable(address: address.description, reason: "no thread to connect with")))
    }
  }

  private static func make(
    _ options: ConnectionOptions, _ address: Address, _ version: ProtocolVersion, cleanStart: Bool,
    resuming resumption: Resumption?
  ) throws(ConnectionError) -> HandOver {
    let make = { () throws(ConnectionError) in
      HandOver(
        try Handle(options, address: address, version: version, cleanStart: cleanStart, resuming: resumption))
    }
    if isReady.withLock({ $0 }) { return try make() }
    // So that the look-up in the lock is short.
    _ = try Resolver.lookUp(host: address.host, port: address.port, flags: 0).get()
    return try isReady.withLock { isReady throws(ConnectionError) in
      let made = try make()
      isReady = true
      return made
    }
  }
}
