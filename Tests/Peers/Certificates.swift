import Foundation

/// Certificates of all kinds, made by the `openssl` program, once for each test process. Gone when it ends well, and
/// otherwise as temporary files go.
public struct Certificates: Sendable {
  /// A certificate and its private key.
  public struct Pair: Sendable {
    /// The path of the certificate.
    public let file: String
    /// The path of its key.
    public let keyFile: String

    /// Names two files.
    public init(file: String, keyFile: String) {
      self.file = file
      self.keyFile = keyFile
    }
  }

  /// The password of ``encryptedKey``.
  public static let password = "open s3same"

  /// Those of this process.
  public static let all: Certificates = {
    do { return try Certificates() } catch { fatalError("openssl made no certificates: \(error)") }
  }()

  /// The folder of all these files.
  public let folder: String
  /// The authority of all that follow, in a file.
  public var caFile: String { "\(folder)/ca.pem" }
  /// The same authority in a folder, under its hash.
  public var caFolder: String { "\(folder)/hashed" }
  /// An authority that signed none of these.
  public var otherCAFile: String { "\(folder)/other-ca.pem" }
  /// A folder that holds a certificate, but not under its hash.
  public var unhashedFolder: String { "\(folder)/unhashed" }
  /// For localhost and 127.0.0.1.
  public var server: Pair { pair("server") }
  /// For localhost and 127.0.0.1, a year ago.
  public var expired: Pair { pair("expired") }
  /// For localhost and 127.0.0.1, in years.
  public var notYetValid: Pair { pair("future") }
  /// For elsewhere.example.
  public var elsewhere: Pair { pair("elsewhere") }
  /// For localhost and 127.0.0.1, signed by itself.
  public var selfSigned: Pair { pair("self") }
  /// For a client.
  public var client: Pair { pair("client") }
  /// For a client, of the other authority.
  public var otherClient: Pair { pair("other-client") }
  /// The key of ``client``, encrypted with ``password``.
  public var encryptedKey: String { "\(folder)/client-encrypted.key" }

  private init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("certificates-\(getpid())").path
    try? FileManager.default.removeItem(atPath: folder)
    for name in ["", "/hashed", "/unhashed", "/issued"] {
      try FileManager.default.createDirectory(atPath: folder + name, withIntermediateDirectories: true)
    }
    atexit { try? FileManager.default.removeItem(atPath: Certificates.all.folder) }
    try write("", to: "index.txt")
    // A subject may have several certificates here.
    try write("unique_subject = no\n", to: "index.txt.attr")
    try write("01\n", to: "serial")
    try write(configuration, to: "openssl.cnf")

    try selfSign("ca", name: "Test Authority", extensions: "authority")
    try selfSign("other-ca", name: "Other Authority", extensions: "authority")
    try selfSign("self", name: "localhost", extensions: "local")
    try issue("server", extensions: "local")
    try issue("expired", extensions: "local", from: "200101000000Z", to: "210101000000Z")
    try issue("future", extensions: "local", from: "450101000000Z", to: "460101000000Z")
    try issue("elsewhere", extensions: "elsewhere")
    try issue("client", extensions: "client")
    try issue("other-client", extensions: "client", authority: "other-ca")
    try openssl(
      "ec", "-in", "\(folder)/client.key", "-aes256", "-passout", "pass:\(Self.password)", "-out",
      encryptedKey)
    for place in ["hashed", "unhashed"] {
      try FileManager.default.copyItem(atPath: caFile, toPath: "\(folder)/\(place)/ca.pem")
    }
    try openssl("rehash", caFolder)
  }

  private func pair(_ name: String) -> Pair {
    Pair(file: "\(folder)/\(name).pem", keyFile: "\(folder)/\(name).key")
  }

  private var configuration: String {
    """
    [req]
    distinguished_name = name
    [name]
    [ca]
    default_ca = made
    [made]
    dir = \(folder)
    database = \(folder)/index.txt
    serial = \(folder)/serial
    new_certs_dir = \(folder)/issued
    default_md = sha256
    policy = any
    unique_subject = no
    [any]
    commonName = supplied
    [authority]
    basicConstraints = critical, CA:true
    subjectKeyIdentifier = hash
    [local]
    subjectAltName = DNS:localhost, IP:127.0.0.1
    [elsewhere]
    subjectAltName = DNS:elsewhere.example
    [client]
    extendedKeyUsage = clientAuth

    """
  }

  private func selfSign(_ file: String, name: String, extensions: String) throws {
    try openssl(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "3650",
      "-subj", "/CN=\(name)", "-config", "\(folder)/openssl.cnf", "-extensions", extensions,
      "-keyout", "\(folder)/\(file).key", "-out", "\(folder)/\(file).pem")
  }

  private func issue(
    _ file: String, extensions: String, authority: String = "ca", from: String = "240101000000Z",
    to: String = "440101000000Z"
  ) throws {
    try openssl(
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=\(file)",
      "-config", "\(folder)/openssl.cnf", "-keyout", "\(folder)/\(file).key", "-out", "\(folder)/\(file).csr")
    try openssl(
      "ca", "-batch", "-notext", "-config", "\(folder)/openssl.cnf", "-extensions", extensions,
      "-startdate", from, "-enddate", to, "-cert", "\(folder)/\(authority).pem",
      "-keyfile", "\(folder)/\(authority).key", "-in", "\(folder)/\(file).csr", "-out",
      "\(folder)/\(file).pem")
  }

  private func write(_ text: String, to name: String) throws {
    try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
  }

  private func openssl(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw PeerFailure(program: "openssl", arguments: arguments) }
  }
}
