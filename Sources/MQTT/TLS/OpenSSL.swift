#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The functions of OpenSSL that libmosquitto does not pass on.
///
/// libmosquitto has loaded OpenSSL into this process, so they are looked up there: linking with it would need its
/// headers, and could bring a second version in.
final class OpenSSL: Sendable {
  /// What `SSL_get_error` says.
  enum Outcome: Int32 {
    case library = 1
    case wantsRead = 2
    case wantsWrite = 3
    case system = 5
    case ended = 6
  }

  /// What `SSL_want` says of a session that waits for the peer.
  static let reading: Int32 = 3

  typealias Pointer = OpaquePointer

  let connect: @convention(c) @Sendable (Pointer) -> Int32
  let peek: @convention(c) @Sendable (Pointer, UnsafeMutableRawPointer, Int32) -> Int32
  let pending: @convention(c) @Sendable (Pointer) -> Int32
  let want: @convention(c) @Sendable (Pointer) -> Int32
  let retain: @convention(c) @Sendable (Pointer) -> Int32
  let release: @convention(c) @Sendable (Pointer) -> Void
  let setSocket: @convention(c) @Sendable (Pointer, Int32) -> Int32
  let isFinished: @convention(c) @Sendable (Pointer) -> Int32
  let readBIO: @convention(c) @Sendable (Pointer) -> Pointer?
  let bytesRead: @convention(c) @Sendable (Pointer?) -> UInt64
  let getError: @convention(c) @Sendable (Pointer, Int32) -> Int32
  let verifyResult: @convention(c) @Sendable (Pointer) -> Int
  let requestedAuthorities: @convention(c) @Sendable (Pointer) -> Pointer?
  let peerChain: @convention(c) @Sendable (Pointer) -> Pointer?
  let currentCipher: @convention(c) @Sendable (Pointer) -> Pointer?
  let cipherName: @convention(c) @Sendable (Pointer?) -> UnsafePointer<CChar>?

  let verifyWords: @convention(c) @Sendable (Int) -> UnsafePointer<CChar>?
  let peekError: @convention(c) @Sendable () -> UInt
  let peekLastError: @convention(c) @Sendable () -> UInt
  let clearErrors: @convention(c) @Sendable () -> Void
  let reason: @convention(c) @Sendable (UInt) -> UnsafePointer<CChar>?

  let clientMethod: @convention(c) @Sendable () -> Pointer?
  let newContext: @convention(c) @Sendable (Pointer?) -> Pointer?
  let freeContext: @convention(c) @Sendable (Pointer) -> Void
  let loadAuthorities:
    @convention(c) @Sendable (Pointer, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Int32
  let loadChain: @convention(c) @Sendable (Pointer, UnsafePointer<CChar>) -> Int32
  let loadKey: @convention(c) @Sendable (Pointer, UnsafePointer<CChar>, Int32) -> Int32
  let checkKey: @convention(c) @Sendable (Pointer) -> Int32
  let setPassword: @convention(c) @Sendable (Pointer, UnsafeMutableRawPointer?) -> Void

  /// Nil when libmosquitto was built without TLS.
  static let loaded = OpenSSL()

  private init?() {
    do {
      connect = try find("SSL_connect")
      peek = try find("SSL_peek")
      pending = try find("SSL_pending")
      want = try find("SSL_want")
      retain = try find("SSL_up_ref")
      release = try find("SSL_free")
      setSocket = try find("SSL_set_fd")
      isFinished = try find("SSL_is_init_finished")
      readBIO = try find("SSL_get_rbio")
      bytesRead = try find("BIO_number_read")
      getError = try find("SSL_get_error")
      verifyResult = try find("SSL_get_verify_result")
      requestedAuthorities = try find("SSL_get_client_CA_list")
      peerChain = try find("SSL_get_peer_cert_chain")
      currentCipher = try find("SSL_get_current_cipher")
      cipherName = try find("SSL_CIPHER_get_name")
      verifyWords = try find("X509_verify_cert_error_string")
      peekError = try find("ERR_peek_error")
      peekLastError = try find("ERR_peek_last_error")
      clearErrors = try find("ERR_clear_error")
      reason = try find("ERR_reason_error_string")
      clientMethod = try find("TLS_client_method")
      newContext = try find("SSL_CTX_new")
      freeContext = try find("SSL_CTX_free")
      loadAuthorities = try find("SSL_CTX_load_verify_locations")
      loadChain = try find("SSL_CTX_use_certificate_chain_file")
      loadKey = try find("SSL_CTX_use_PrivateKey_file")
      checkKey = try find("SSL_CTX_check_private_key")
      setPassword = try find("SSL_CTX_set_default_passwd_cb_userdata")
    } catch {
      return nil
    }
  }

  /// The error that a line of libmosquitto's log holds: "OpenSSL Error[0]: error:0A000086:SSL routines::…".
  static func error(in line: String) -> UInt? {
    guard let start = line.firstRange(of: "error:")?.upperBound else { return nil }
    return UInt(line[start...].prefix { $0.isHexDigit }, radix: 16)
  }

  /// Whether an error is the end of the link without a goodbye, which is an error only since version 3.
  static func isEnd(_ error: UInt) -> Bool { error & 0xFFF == 294 }

  /// What is wrong with the contents of the files that `options` names, in one line.
  func problem(of options: TLSOptions) -> String? {
    guard let context = newContext(clientMethod()) else { return "OpenSSL has no memory for TLS" }
    defer {
      freeContext(context)
      clearErrors()
    }
    if let file = options.caFile, loadAuthorities(context, file, nil) != 1 {
      return "the CA file \(file) holds no certificate in PEM form\(lastReason); check the file"
    }
    guard let client = options.clientCertificate else { return nil }
    // As user data of OpenSSL's own callback, a text is the password; without one it would ask at the terminal.
    let isLoaded = (client.keyPassword ?? "").withCString { password in
      setPassword(context, UnsafeMutableRawPointer(mutating: password))
      return loadKey(context, client.keyFile, 1) == 1
    }
    if !isLoaded {
      return client.keyPassword == nil
        ? "the client key \(client.keyFile) is no key in PEM form, or is encrypted; check the file or set keyPassword"
        : "the client key \(client.keyFile) is no key in PEM form, or has another password; check both"
    }
    if loadChain(context, client.file) != 1 {
      return
        "the client certificate \(client.file) is no certificate in PEM form\(lastReason); check the file"
    }
    if checkKey(context) != 1 {
      return "the client key \(client.keyFile) does not belong to the certificate \(client.file); set a pair"
    }
    return nil
  }

  private var lastReason: String {
    reason(peekLastError()).map { " (\(String(cString: $0)))" } ?? ""
  }
}

private struct Missing: Error {}

private func find<Function>(_ name: String) throws -> Function {
  // RTLD_DEFAULT, which is a macro that Swift does not see on every system.
  #if canImport(Darwin)
    let everywhere = UnsafeMutableRawPointer(bitPattern: -2)
  #else
    let everywhere: UnsafeMutableRawPointer? = nil
  #endif
  guard let address = dlsym(everywhere, name) else { throw Missing() }
  return unsafeBitCast(address, to: Function.self)
}
