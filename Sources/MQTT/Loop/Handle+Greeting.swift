import CMosquitto

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// From the connected socket to the broker's CONNACK.
///
/// The library would do the TLS handshake somewhere inside reading and writing. Versions up to 2.0.11 then take a broken
/// link for one that needs more time, later ones may wait for the wrong thing, and all of them keep the cause of a
/// failure to themselves. So the handshake is done here, on the library's own `SSL *`, and the library finds it done.
extension Handle {
  /// What there is to read before the broker has accepted the connection.
  enum Greeting {
    /// Something for the library.
    case arrived
    /// Nothing yet; the handshake has gone on if it could.
    case waiting
    /// This will never become a connection.
    case failed(ConnectionError)
  }

  var isHandshaking: Bool { tls?.isHandshaking == true }

  /// Whether the handshake goes on as soon as the socket takes more: also when it has not begun, which libraries from
  /// 2.0.15 on leave to the first read or write.
  var handshakeWantsWrite: Bool {
    guard let tls, tls.isHandshaking, let session else { return false }
    return tls.openSSL.want(session) != OpenSSL.reading
  }

  /// The error of the socket while it connects, `number`, seen again: the library's first try to speak TLS comes before
  /// that and may have taken the error away, or have been answered so fast that the link is over already. What was
  /// answered can still be read then.
  func withoutTLS(_ number: Int32) -> Int32 {
    if number == ECONNRESET || number == EPIPE { return 0 }
    guard number == 0, let tls, let session else { return number }
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &length) == 0 }
    }
    // A first try that got as far as reading, or further, had a link.
    let hasWritten = tls.openSSL.want(session) == OpenSSL.reading || tls.openSSL.isFinished(session) == 1
    return isConnected || hasWritten ? 0 : ECONNREFUSED
  }

  /// What to try when a broker closes without a word: with older versions of OpenSSL it does so at what is no TLS.
  var hint: String? {
    guard isGreeting, isTCP, tls == nil, !hasHeard else { return nil }
    return "the broker closed it without an answer; if it speaks TLS there, use mqtts://"
  }

  /// Looks at what the broker sent, and goes on with the handshake.
  func greeting() -> Greeting {
    guard let tls else {
      return hasHeard ? .arrived : stranger().map { .failed($0) } ?? .arrived
    }
    guard let session else { return .arrived }
    if tls.isHandshaking {
      if let failure = shakeHands(tls, session) { return .failed(failure) }
      if isHandshaking { return .waiting }
    }
    return answer(tls, session)
  }

  private func shakeHands(_ tls: TLSLink, _ session: OpaquePointer) -> ConnectionError? {
    let openSSL = tls.openSSL
    if openSSL.bytesRead(openSSL.readBIO(session)) > 0 { hasHeard = true }
    if let failure = mixUp() { return failure }
    let wasFinished = openSSL.isFinished(session) == 1
    if !wasFinished {
      openSSL.clearErrors()
      errno = 0
      let result = openSSL.connect(session)
      let number = errno
      guard result == 1 else { return failure(tls, session, result, number) }
    }
    self.tls?.isHandshaking = false
    guard usesWhatWasAsked(tls, session) else { return .tls(.badPSK, broker: broker) }
    guard !wasFinished, Self.libraryShakesHands else { return nil }
    // The library still thinks that its own try was too early. It finds that all is done, and reads nothing.
    var drained: Int32 = 0
    let code = signalbox_loop_read(mosquitto, &drained)
    return code == MOSQ_ERR_SUCCESS.rawValue ? nil : .linkLost("libmosquitto can't go on after the handshake")
  }

  /// Whether the library does the handshake in a step of its own.
  private static var libraryShakesHands: Bool { libraryVersion < (2, 0, 15) }

  /// A broker without the key could still offer certificates, which nobody checks where a key is expected: versions
  /// up to 2.0.11 let TLS 1.3 do that.
  private func usesWhatWasAsked(_ tls: TLSLink, _ session: OpaquePointer) -> Bool {
    guard tls.isPreShared else { return true }
    let name = tls.openSSL.cipherName(tls.openSSL.currentCipher(session)).map { String(cString: $0) } ?? ""
    return name.contains("PSK") || tls.openSSL.peerChain(session) == nil
  }

  /// In TLS 1.3 a broker refuses a client certificate after the client's part of the handshake is over. The library
  /// would only say that the link broke, so it is not called before there is a packet.
  private func answer(_ tls: TLSLink, _ session: OpaquePointer) -> Greeting {
    var bytes = [UInt8](repeating: 0, count: Self.strangerSize)
    tls.openSSL.clearErrors()
    errno = 0
    let result = tls.openSSL.peek(session, &bytes, Int32(bytes.count))
    let number = errno
    if result > 0 { return stranger(bytes.prefix(Int(result))).map { .failed($0) } ?? .arrived }
    return failure(tls, session, result, number).map { .failed($0) } ?? .waiting
  }

  /// Writes the CONNECT. What the broker may have said against it before is the better reason if that fails.
  func writeGreeting() -> ConnectionError? {
    if case .failed(let failure) = greeting() { return failure }
    guard let tls, let session, wantsWrite, let words = LastWords(tls.openSSL, session, socket) else {
      return writeQueued()
    }
    guard let failure = writeQueued() else { return nil }
    guard socket < 0, let session = words.reopened(), case .failed(let reason) = answer(tls, session) else {
      return failure
    }
    return reason
  }

  private func failure(
    _ tls: TLSLink, _ session: OpaquePointer, _ result: Int32, _ number: Int32
  ) -> ConnectionError? {
    let error = tls.openSSL.peekError()
    let outcome = OpenSSL.Outcome(rawValue: tls.openSSL.getError(session, result))
    tls.openSSL.clearErrors()
    switch outcome {
    case .wantsRead, .wantsWrite: return nil
    case .library: return ending(tls, session, error)
    default: return ending(tls, session, nil, number)
    }
  }

  /// Why there is no connection, by an error of OpenSSL or `number` of the system.
  func ending(
    _ tls: TLSLink, _ session: OpaquePointer, _ error: UInt?, _ number: Int32 = 0
  ) -> ConnectionError {
    if let error, !OpenSSL.isEnd(error) { return .tls(cause(tls, session, error), broker: broker) }
    if !hasHeard, tls.openSSL.bytesRead(tls.openSSL.readBIO(session)) == 0,
      number == 0 || number == ECONNRESET
    {
      return .tls(.notTLS, broker: broker)
    }
    // The end came without its reason, which can get lost on the way.
    if !tls.hasCertificate, tls.openSSL.requestedAuthorities(session) != nil {
      return .tls(.certificateRequired, broker: broker)
    }
    let how = number == 0 ? "the broker closed it" : systemError(number)
    return .linkLost("\(how) before it was accepted")
  }

  /// Looks at the first byte of the broker without taking it, whether it is that of TLS.
  private func mixUp() -> ConnectionError? {
    guard !hasHeard else { return nil }
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, Int32(MSG_PEEK))
    // A broker without TLS may also just close at what it can't read.
    if count == 0 || (count < 0 && errno == ECONNRESET) { return .tls(.notTLS, broker: broker) }
    guard count > 0 else { return nil }
    hasHeard = true
    return (0x14...0x18).contains(byte) ? nil : .tls(.notTLS, broker: broker)
  }
}
