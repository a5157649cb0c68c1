extension LocalBroker {
  /// How a `LocalBroker` speaks TLS, and TLS only. Paths are of PEM files.
  public enum TLS: Sendable {
    /// Shows the certificate at `file`, followed there by those between it and its authority, with its private key.
    ///
    /// With `clientCAFile`, only clients with a certificate of one of its authorities are let in.
    case certificate(file: String, keyFile: String, clientCAFile: String? = nil)
    /// Shows no certificate, and lets in who knows one of these keys, in hexadecimal digits, by their identity.
    case preSharedKeys([String: String])
  }
}
