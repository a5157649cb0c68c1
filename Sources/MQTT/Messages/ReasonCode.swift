/// A reason code of MQTT 5 (2.4); what MQTT 3.1.1 says is mapped onto it.
public struct ReasonCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The code on the wire; 128 and above are failures.
  public let rawValue: UInt8

  /// Makes a code.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Whether it says that something failed.
  public var isFailure: Bool { rawValue >= 0x80 }

  /// The words of the specification and the code, such as "Not authorized (135)".
  public var description: String { "\(words) (\(rawValue))" }

  /// The code for a refused CONNECT, in words of MQTT 5 whichever version the broker spoke.
  init(connack code: Int32) {
    self =
      switch code {
      case 1: .unsupportedProtocolVersion
      case 2: .clientIdentifierNotValid
      case 3: .serverUnavailable
      case 4: .badUserNameOrPassword
      case 5: .notAuthorized
      default: ReasonCode(rawValue: UInt8(truncatingIfNeeded: code))
      }
  }

  /// Whether trying again with the same options can help after this refusal of a CONNECT.
  var isTransient: Bool {
    switch rawValue {
    // Unspecified, implementation specific, unavailable, busy, shutting down, quota, rate, connect time.
    case 0x80, 0x83, 0x88, 0x89, 0x8B, 0x97, 0x9F, 0xA0: true
    default: false
    }
  }
}
