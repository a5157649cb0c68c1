/// What answers at the port, and is no MQTT broker: people name the port of its web page, or of another service.
///
/// The library would take the text for a packet, and wait for the rest of it or call it a breach of MQTT.
extension Handle {
  /// How many bytes tell what answers.
  static let strangerSize = 4

  /// The first bytes that a broker may send: of CONNACK, and in MQTT 5 of DISCONNECT and AUTH.
  private static let greetings: Set<UInt8> = [0x20, 0xE0, 0xF0]

  /// Looks at the first bytes that came, without taking them; nil when they are those of a broker.
  func stranger() -> ConnectionError? {
    var bytes = [UInt8](repeating: 0, count: Self.strangerSize)
    let count = peek(&bytes)
    guard count > 0 else { return nil }
    hasHeard = true
    return stranger(bytes.prefix(count))
  }

  /// Why this is no broker, by its first bytes; nil when they are those of one.
  func stranger(_ bytes: ArraySlice<UInt8>) -> ConnectionError? {
    guard let first = bytes.first, !Self.greetings.contains(first) else { return nil }
    // A TLS alert.
    if first == 0x15, tls == nil { return .tls(.expectsTLS, broker: broker) }
    let reason =
      "HTTP".utf8.starts(with: bytes)
      ? "a web server answers, not a broker; name the broker's port for MQTT over TCP, usually 1883 or with TLS 8883"
      : "what answers does not speak MQTT, or sends something before it accepts the connection"
    return .unreachable(address: broker, reason: reason)
  }
}
