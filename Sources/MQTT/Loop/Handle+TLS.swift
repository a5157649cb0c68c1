import CMosquitto

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// TLS of one link.
struct TLSLink {
  let openSSL: OpenSSL
  let isPreShared: Bool
  let hasCertificate: Bool
  /// Only until the library has read the key file.
  var keyPassword: String?
  var isHandshaking = true
  /// Why the library's own first try failed.
  var cause: ConnectionError?
}

/// What the library is told of TLS before it connects, and what it says about it.
extension Handle {
  func secure(_ options: TLSOptions) throws(ConnectionError) {
    guard let openSSL = OpenSSL.loaded else { throw .unsupported("TLS by this libmosquitto") }
    signalbox_ignore_broken_pipes()
    tls = TLSLink(
      openSSL: openSSL, isPreShared: options.preSharedKey != nil,
      hasCertificate: options.clientCertificate != nil, keyPassword: options.clientCertificate?.keyPassword)
    if let text = options.applicationProtocol {
      try check(mosquitto_string_option(mosquitto, MOSQ_OPT_TLS_ALPN, text), "the ALPN protocol")
    }
    if let shared = options.preSharedKey {
      // Without the list, versions up to 2.0.11 would offer ciphers with certificates too, and check none.
      try check(mosquitto_tls_psk_set(mosquitto, shared.key, shared.identity, "PSK"), "the pre-shared key")
    } else {
      try setFiles(options)
    }
    noteCause()
  }

  private func setFiles(_ options: TLSOptions) throws(ConnectionError) {
    var (file, folder) = (options.caFile, options.caFolder)
    if file == nil, folder == nil {
      switch SystemAuthorities.found {
      case .file(let path): file = path
      case .folder(let path): folder = path
      case nil: break
      }
    }
    let client = options.clientCertificate
    // Without a callback, OpenSSL would ask for the password of an encrypted key at the terminal.
    let code = mosquitto_tls_set(mosquitto, file, folder, client?.file, client?.keyFile) {
      buffer, size, _, owner in
      guard let buffer, let owner, let handle = mosquitto_userdata(OpaquePointer(owner)) else { return 0 }
      return Unmanaged<Handle>.fromOpaque(handle).takeUnretainedValue().givePassword(to: buffer, size)
    }
    try check(code, "the files of certificates")
  }

  private func givePassword(to buffer: UnsafeMutablePointer<CChar>, _ size: Int32) -> Int32 {
    guard let password = tls?.keyPassword?.utf8, password.count <= Int(size) else { return 0 }
    for (index, byte) in password.enumerated() { buffer[index] = CChar(bitPattern: byte) }
    return Int32(password.count)
  }

  /// The library's first try to speak TLS is a part of connecting, and a broker nearby may have answered it already.
  /// When it fails, the library only logs why, and throws all that could be asked away.
  private func noteCause() {
    mosquitto_log_callback_set(mosquitto) { mosquitto, handle, _, line in
      guard let mosquitto, let handle, let line else { return }
      let owner = Unmanaged<Handle>.fromOpaque(handle).takeUnretainedValue()
      guard let tls = owner.tls, tls.cause == nil, let session = mosquitto_ssl_get(mosquitto) else { return }
      guard let error = OpenSSL.error(in: String(cString: line)) else { return }
      owner.tls?.cause = owner.ending(tls, OpaquePointer(session), error)
    }
  }

  /// To be called when the library has begun to connect: it is not asked for its log any longer.
  func endFirstTry() {
    guard tls != nil else { return }
    tls?.keyPassword = nil
    mosquitto_log_callback_set(mosquitto, nil)
  }

  /// Why the library could not even begin, as far as TLS explains it; `number` is `errno`.
  func tlsFailure(
    _ code: Int32, _ number: Int32, _ address: Address, _ options: TLSOptions
  ) -> ConnectionError? {
    switch mosq_err_t(rawValue: code) {
    case MOSQ_ERR_EAI:
      .unresolved(host: address.host, reason: String(cString: gai_strerror(number)))
    case MOSQ_ERR_TLS:
      // The files were in order when the connection was made, but may be about to be replaced.
      tls?.cause
        ?? .tls(
          .other(tls?.openSSL.problem(of: options) ?? "libmosquitto can't set TLS up"), broker: broker)
    default: nil
    }
  }

  /// What an error of OpenSSL means for this link.
  func cause(_ tls: TLSLink, _ session: OpaquePointer, _ error: UInt) -> TLSFailure {
    let result = tls.openSSL.verifyResult(session)
    let context = TLSFailure.Context(
      hasPreSharedKey: tls.isPreShared, hasCertificate: tls.hasCertificate,
      isCertificateRequested: tls.openSSL.requestedAuthorities(session) != nil)
    return TLSFailure(error: error, verifyResult: result, context) { isVerify in
      let words = isVerify ? tls.openSSL.verifyWords(result) : tls.openSSL.reason(error)
      return words.map { String(cString: $0) } ?? "error \(error)"
    }
  }

  var session: OpaquePointer? { mosquitto_ssl_get(mosquitto).map { OpaquePointer($0) } }

  /// Whether decrypted bytes wait for the library, though the socket may be silent.
  var hasUnread: Bool {
    guard let tls, !tls.isHandshaking, let session else { return false }
    return tls.openSSL.pending(session) > 0
  }
}
