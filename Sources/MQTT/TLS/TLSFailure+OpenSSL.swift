extension TLSFailure {
  /// What this side brought into the handshake, and what the broker asked for.
  struct Context {
    var hasPreSharedKey = false
    var hasCertificate = false
    var isCertificateRequested = false
  }

  /// The cause behind an error of OpenSSL, as `ERR_peek_error` gives it.
  ///
  /// The low bits of an error are its reason in all versions since 1.1.0: 1,000 and more is an alert that the broker
  /// sent (RFC 8446, 6.2, and RFC 5246, 7.2.2), and the reason words are for people only.
  init(error: UInt, verifyResult: Int, _ context: Context, words: (_ isVerify: Bool) -> String) {
    let reason = Int(error & 0xFFF)
    self =
      switch reason {
      case 134:
        TLSFailure(verifyResult: verifyResult) ?? .other("the certificate check failed: \(words(true))")
      // Wrong version number, http request, https proxy request.
      case 267, 156, 155: .notTLS
      case 1_000...1_255:
        TLSFailure(alert: reason - 1_000, context)
          ?? .other("the broker ended the TLS handshake: \(words(false))")
      default: .other("the TLS handshake failed: \(words(false))")
      }
  }

  /// What an `X509_V_ERR_…` means.
  private init?(verifyResult: Int) {
    switch verifyResult {
    case 2, 7, 19, 20, 21: self = .unknownAuthority
    case 18: self = .selfSigned
    case 10: self = .expired
    case 9: self = .notYetValid
    // libmosquitto checks the name itself, in a callback that refuses without naming an error.
    case 0, 1, 62, 64: self = .wrongHost
    default: return nil
    }
  }

  private init?(alert: Int, _ context: Context) {
    switch alert {
    case 120: self = .other("the broker does not know the protocol asked for by ALPN; change it, or set none")
    case _ where context.hasPreSharedKey: self = .badPSK
    case 70: self = .other("the broker speaks neither TLS 1.2 nor 1.3; update it")
    case 116: self = .certificateRequired
    // Up to TLS 1.2 there is no alert of its own for a certificate that is missing.
    case 40 where context.isCertificateRequested && !context.hasCertificate: self = .certificateRequired
    case 42...46, 48, 49: self = context.hasCertificate ? .certificateRefused : .certificateRequired
    default: return nil
    }
  }
}
