import CMosquitto

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Handle {
  /// How much of the broker's answer is looked at; a longer one is left to the library.
  private static let lookAhead = 65_536

  /// Looks at what the broker answers to the CONNECT before the library does: see ``Connack``.
  ///
  /// Behind TLS only the first record can be seen.
  func lookAtConnack() -> Greeting {
    guard version == .v5, awaitsConnack else { return .arrived }
    var bytes = [UInt8](repeating: 0, count: Self.lookAhead)
    let count = peek(&bytes)
    // The library says what is wrong.
    guard count > 0 else { return .arrived }
    switch Connack(bytes.prefix(count)) {
    case .malformed:
      return .failed(.linkLost(Self.fault(Int32(MOSQ_ERR_MALFORMED_PACKET.rawValue)) ?? ""))
    case .limit(let limit?) where limit < largestResumed:
      inbox.append(.shrunk(limit: limit))
      return .failed(
        .linkLost("the broker takes only packets of up to \(limit) bytes now, less than one that waits"))
    case .incomplete where tls == nil && count < bytes.count && !isHalfClosed:
      // The socket stays readable until somebody reads.
      usleep(1_000)
      return .waiting
    case .incomplete, .other, .limit:
      // From here on the library may be inside a packet.
      awaitsConnack = false
      return .arrived
    }
  }

  /// Looks at what came without taking it, and gives how many bytes of it there are; less than 1 when there is nothing.
  func peek(_ bytes: inout [UInt8]) -> Int {
    if let tls, let session { return Int(tls.openSSL.peek(session, &bytes, Int32(bytes.count))) }
    return recv(socket, &bytes, bytes.count, Int32(MSG_PEEK))
  }

  /// Whether no more will come than is there.
  private var isHalfClosed: Bool {
    #if os(Linux)
      let over: Int16 = 0x2000  // POLLRDHUP, which Swift does not see
    #else
      let over = Int16(POLLHUP)
    #endif
    var descriptors = [pollfd(fd: socket, events: over, revents: 0)]
    return poll(&descriptors, 1, 0) > 0
  }
}
