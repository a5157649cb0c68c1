#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension TLSOptions {
  /// The first thing that can't work.
  func check() throws(ConnectionError) {
    guard let openSSL = OpenSSL.loaded else {
      throw .unsupported("TLS, because this libmosquitto was built without it; use mqtt://")
    }
    if let applicationProtocol, !(1...254).contains(applicationProtocol.utf8.count) {
      throw .invalid("the ALPN protocol is empty or has more than 254 bytes")
    }
    if let applicationProtocol, applicationProtocol.utf8.contains(0) {
      throw .invalid("the ALPN protocol holds NUL")
    }
    if let preSharedKey {
      if caFile != nil || caFolder != nil || clientCertificate != nil {
        throw .invalid("a pre-shared key takes the place of certificates: set one or the other")
      }
      return try preSharedKey.check()
    }
    if let caFile { try Self.checkReadable(caFile, "the CA file") }
    if let caFolder { try Self.checkFolder(caFolder) }
    if let clientCertificate {
      try Self.checkReadable(clientCertificate.file, "the client certificate")
      try Self.checkReadable(clientCertificate.keyFile, "the client key")
      let length = clientCertificate.keyPassword?.utf8.count ?? 0
      if length > 1_023 || clientCertificate.keyPassword?.utf8.contains(0) == true {
        throw .invalid("the password of the client key holds NUL or more than 1,023 bytes")
      }
    }
    if caFile == nil, caFolder == nil, SystemAuthorities.found == nil {
      throw .invalid("this system has no certificates of authorities: install ca-certificates, or set caFile")
    }
    if let problem = openSSL.problem(of: self) { throw .invalid(problem) }
  }

  private static func checkReadable(_ path: String, _ what: String) throws(ConnectionError) {
    if path.isEmpty || path.utf8.contains(0) { throw .invalid("the path of \(what) is empty or holds NUL") }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .invalid(
        "\(what) \(path) can't be read: \(systemError(errno)); check the path and its permissions")
    }
    close(descriptor)
  }

  private static func checkFolder(_ path: String) throws(ConnectionError) {
    if path.isEmpty || path.utf8.contains(0) {
      throw .invalid("the path of the CA folder is empty or holds NUL")
    }
    switch holdsHashes(path) {
    case true?: return
    case false?:
      throw .invalid(
        "the CA folder \(path) holds no certificate under its hash: run openssl rehash \(path)")
    case nil:
      throw .invalid("the CA folder \(path) can't be read: \(systemError(errno)); check the path")
    }
  }

  /// Whether a folder holds what OpenSSL would look for; nil, with `errno`, when it can't be read.
  static func holdsHashes(_ path: String) -> Bool? {
    guard let folder = opendir(path) else { return nil }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
          String(cString: $0)
        }
      }
      if isHash(name) { return true }
    }
    return false
  }

  /// Whether OpenSSL would look for a certificate under this name: eight hexadecimal digits, a dot and a number.
  static func isHash(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].utf8.count == 8 && parts[0].allSatisfy(\.isHexDigit)
      && !parts[1].isEmpty && parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}

extension TLSOptions.PreSharedKey {
  fileprivate func check() throws(ConnectionError) {
    if !(1...127).contains(identity.utf8.count) || identity.utf8.contains(0) {
      throw .invalid("the identity of the pre-shared key is empty, has more than 127 bytes or holds NUL")
    }
    let isHexadecimal = key.utf8.allSatisfy { $0 < 0x80 && Character(Unicode.Scalar($0)).isHexDigit }
    if !isHexadecimal || !key.utf8.count.isMultiple(of: 2) || !(2...512).contains(key.utf8.count) {
      throw .invalid("the pre-shared key is not 1 to 256 bytes in hexadecimal digits, two for each")
    }
  }
}
