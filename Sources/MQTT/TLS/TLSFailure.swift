/// Why there is no secure connection.
///
/// All of these are tried again, like an unreachable broker: certificates are renewed, keys are added and listeners are
/// moved on the broker's side, without this client, and its own files are read anew at each attempt. The cause stands in
/// ``ConnectionState/waiting(_:cause:)``.
public enum TLSFailure: Sendable, Hashable, CustomStringConvertible {
  /// No authority that is trusted here signed the broker's certificate.
  case unknownAuthority
  /// The broker's certificate is signed by itself, and is not trusted here.
  case selfSigned
  /// The broker's certificate, or one that it depends on, has expired.
  case expired
  /// The broker's certificate, or one that it depends on, is not valid yet.
  case notYetValid
  /// The broker's certificate holds other names than the one connected to.
  case wrongHost
  /// The broker asks for a client certificate, and there is none.
  case certificateRequired
  /// The broker does not accept the client certificate.
  case certificateRefused
  /// The broker does not know the pre-shared key, knows it differently, or takes none.
  case badPSK
  /// What listens there does not answer in TLS.
  case notTLS
  /// What listens there answers in TLS, which was not asked for.
  case expectsTLS
  /// Something else, in the words of the TLS library.
  case other(String)

  /// One line that names the fault and the mend.
  public var description: String {
    switch self {
    case .unknownAuthority:
      "no authority that is trusted here signed the broker's certificate; name the one that did as caFile"
    case .selfSigned: "the broker's certificate is self-signed; to trust it, name it as caFile"
    case .expired: "the broker's certificate has expired; renew it, or set this machine's clock"
    case .notYetValid: "the broker's certificate is not valid yet; set the clocks of both machines"
    case .wrongHost: "the broker's certificate is for another host; connect by a name that it holds"
    case .certificateRequired: "the broker asks for a client certificate; set clientCertificate"
    case .certificateRefused:
      "the broker refused the client certificate; use one that is valid and signed by its authority"
    case .badPSK: "the broker does not take this pre-shared key; compare identity and key with the broker's"
    case .notTLS: "the broker does not answer in TLS there; use mqtt://, or the port of its TLS listener"
    case .expectsTLS: "the broker speaks TLS there; use mqtts://"
    case .other(let words): words
    }
  }
}
