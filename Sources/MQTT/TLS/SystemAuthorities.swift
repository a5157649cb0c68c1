#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where this system keeps the certificates of the authorities that it trusts.
///
/// libmosquitto can ask OpenSSL for its defaults, but versions up to 2.0.11 forget them at the second connect, and
/// the OpenSSL of a package manager has its own idea of them; so the usual places are named. Folders come first: of
/// those, only what is needed is read.
enum SystemAuthorities {
  case folder(String)
  case file(String)

  private static let places: [SystemAuthorities] = {
    #if canImport(Darwin)
      [
        .file("/opt/homebrew/etc/openssl@3/cert.pem"), .file("/usr/local/etc/openssl@3/cert.pem"),
        .file("/etc/ssl/cert.pem"),
      ]
    #else
      [
        .folder("/etc/ssl/certs"), .file("/etc/ssl/certs/ca-certificates.crt"),
        .file("/etc/pki/tls/certs/ca-bundle.crt"), .file("/etc/ssl/ca-bundle.pem"),
        .file("/etc/ssl/cert.pem"),
      ]
    #endif
  }()

  /// The first place that holds some; nil when there is none.
  static var found: SystemAuthorities? {
    places.first { place in
      switch place {
      case .file(let path): access(path, R_OK) == 0
      case .folder(let path): TLSOptions.holdsHashes(path) == true
      }
    }
  }
}
