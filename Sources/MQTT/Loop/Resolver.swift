#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Looks names up. `getaddrinfo` may block for minutes, so only a numeric address is answered at once; a name is
/// looked up on a thread that nobody waits for.
enum Resolver {
  /// The same as ``resolve(host:port:completion:)``, or a stand-in for it; `completion` may come on any thread.
  typealias Resolve =
    @Sendable (
      _ host: String, _ port: Int,
      _ completion: @escaping @Sendable (Result<[Address], ConnectionError>) -> Void
    ) -> Void

  @Sendable static func resolve(
    host: String, port: Int, completion: @escaping @Sendable (Result<[Address], ConnectionError>) -> Void
  ) {
    if case .success(let addresses) = lookUp(host: host, port: port, flags: AI_NUMERICHOST) {
      return completion(.success(addresses))
    }
    let started = startThread("mqtt-resolve") {
      completion(lookUp(host: host, port: port, flags: 0))
    }
    if !started {
      completion(.failure(.unresolved(host: host, reason: "no thread to look it up with")))
    }
  }

  static func lookUp(host: String, port: Int, flags: Int32) -> Result<[Address], ConnectionError> {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    #if canImport(Darwin)
      hints.ai_socktype = SOCK_STREAM
    #else
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    hints.ai_flags = flags
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &list)
    guard code == 0 else {
      return .failure(.unresolved(host: host, reason: String(cString: gai_strerror(code))))
    }
    defer { freeaddrinfo(list) }
    var addresses: [Address] = []
    var next = list
    while let info = next?.pointee {
      next = info.ai_next
      guard let text = numeric(info) else { continue }
      let address = Address(host: text, port: port)
      if !addresses.contains(address) { addresses.append(address) }
    }
    return .success(addresses)
  }

  private static func numeric(_ info: addrinfo) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    return buffer.withUnsafeMutableBufferPointer { buffer in
      let length = socklen_t(buffer.count)
      let code = getnameinfo(
        info.ai_addr, info.ai_addrlen, buffer.baseAddress, length, nil, 0, NI_NUMERICHOST)
      return code == 0 ? String(cString: buffer.baseAddress!) : nil
    }
  }
}
