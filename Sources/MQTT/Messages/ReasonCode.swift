import CMosquitto

/// A reason code of MQTT 5; what MQTT 3.1.1 says is mapped onto it.
public struct ReasonCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The code on the wire; 128 and above are failures.
  public let rawValue: UInt8

  /// Makes a code.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// All went well.
  public static let success = ReasonCode(rawValue: 0x00)
  /// Accepted, and nobody is subscribed.
  public static let noMatchingSubscribers = ReasonCode(rawValue: 0x10)
  /// A failure without a reason.
  public static let unspecified = ReasonCode(rawValue: 0x80)
  /// The broker doesn't speak this version of MQTT.
  public static let unsupportedProtocolVersion = ReasonCode(rawValue: 0x84)
  /// The broker doesn't take the client id.
  public static let clientIdentifierNotValid = ReasonCode(rawValue: 0x85)
  /// Wrong user or password.
  public static let badUserNameOrPassword = ReasonCode(rawValue: 0x86)
  /// The broker's access rules say no.
  public static let notAuthorized = ReasonCode(rawValue: 0x87)
  /// The broker can't serve now.
  public static let serverUnavailable = ReasonCode(rawValue: 0x88)
  /// The packet is larger than the broker takes.
  public static let packetTooLarge = ReasonCode(rawValue: 0x95)
  /// The broker stores no retained messages.
  public static let retainNotSupported = ReasonCode(rawValue: 0x9A)
  /// The broker doesn't take this QoS.
  public static let qosNotSupported = ReasonCode(rawValue: 0x9B)

  /// Whether it says that something failed.
  public var isFailure: Bool { rawValue >= 0x80 }

  /// The words of the specification and the code, such as "Not authorized (135)".
  public var description: String {
    // The strings are static in the library.
    "\(String(cString: mosquitto_reason_string(Int32(rawValue)))) (\(rawValue))".droppingFullStop
  }

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

extension String {
  fileprivate var droppingFullStop: String {
    replacing(". (", with: " (")
  }
}
