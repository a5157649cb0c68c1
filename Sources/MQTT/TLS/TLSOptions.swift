/// How a connection is secured: whom to trust, and how to prove who this client is.
///
/// ```swift
/// var options = ConnectionOptions(host: "broker.example", port: 8883)
/// options.tls = TLSOptions()                              // the system's authorities
/// options.tls = TLSOptions(caFile: "/etc/broker/ca.pem")  // an authority of one's own
/// ```
///
/// The broker's certificate and its name are always checked; the name is that of ``ConnectionOptions/endpoint``. A
/// self-signed certificate is trusted by naming it as ``caFile``. Files are PEM, are checked when a ``Connection`` is
/// made, and are read again at each attempt to connect, so a renewed certificate needs no new connection. TLS 1.2 and
/// 1.3 are spoken.
///
/// Keys and passwords are never printed: not by `description`, not by `dump`, not in an error.
public struct TLSOptions: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// A certificate that tells the broker who this client is.
  public struct ClientCertificate: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The path of the certificate, followed in the file by those between it and its authority.
    public var file: String

    /// The path of its private key.
    public var keyFile: String

    /// The password of ``keyFile``, if it is encrypted; up to 1,023 bytes.
    public var keyPassword: String?

    /// Makes a client certificate of two files.
    public init(file: String, keyFile: String, keyPassword: String? = nil) {
      self.file = file
      self.keyFile = keyFile
      self.keyPassword = keyPassword
    }

    /// The paths.
    public var description: String { "certificate \(file), key \(keyFile)" }

    /// The paths, without the password.
    public var customMirror: Mirror { Mirror(self, children: ["file": file, "keyFile": keyFile]) }
  }

  /// A secret that broker and client share, instead of certificates.
  public struct PreSharedKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The name under which the broker knows ``key``; 1 to 127 bytes.
    public var identity: String

    /// The key in hexadecimal digits, two for each byte; 1 to 256 bytes.
    public var key: String

    /// Makes a pre-shared key.
    public init(identity: String, key: String) {
      self.identity = identity
      self.key = key
    }

    /// The identity.
    public var description: String { "pre-shared key of \(identity)" }

    /// The identity, without the key.
    public var customMirror: Mirror { Mirror(self, children: ["identity": identity]) }
  }

  /// The path of a file of certificates to trust. With neither this nor ``caFolder``, those of the system are trusted;
  /// with both, all of both.
  public var caFile: String?

  /// The path of a folder of certificates to trust, each under its hash as `openssl rehash` names them.
  public var caFolder: String?

  /// Who this client is, for brokers that ask for a certificate.
  public var clientCertificate: ClientCertificate?

  /// A key that takes the place of all certificates. Such connections speak TLS 1.2 with brokers that offer it.
  public var preSharedKey: PreSharedKey?

  /// The protocol to ask for (ALPN), 1 to 254 bytes; some brokers share a port among several by it.
  public var applicationProtocol: String?

  /// Trusts `caFile`, `caFolder` or both; without them, what the system trusts.
  public init(
    caFile: String? = nil, caFolder: String? = nil, clientCertificate: ClientCertificate? = nil,
    applicationProtocol: String? = nil
  ) {
    self.caFile = caFile
    self.caFolder = caFolder
    self.clientCertificate = clientCertificate
    self.applicationProtocol = applicationProtocol
  }

  /// Trusts whoever knows `preSharedKey`.
  public init(preSharedKey: PreSharedKey) {
    self.preSharedKey = preSharedKey
  }

  /// What is trusted and shown, without any secret.
  public var description: String {
    var parts = ["TLS"]
    if let preSharedKey { parts.append("\(preSharedKey)") }
    if let caFile { parts.append("CA file \(caFile)") }
    if let caFolder { parts.append("CA folder \(caFolder)") }
    if let clientCertificate { parts.append("\(clientCertificate)") }
    if let applicationProtocol { parts.append("ALPN \(applicationProtocol)") }
    return parts.joined(separator: ", ")
  }

  /// The options without any secret.
  public var customMirror: Mirror {
    Mirror(self, children: ["description": description], displayStyle: .struct)
  }
}
