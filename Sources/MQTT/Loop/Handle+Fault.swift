import CMosquitto

extension Handle {
  /// What a code says when it is about a packet that came. The library breaks the link for each of these and
  /// does not tell which message it was.
  static func fault(_ code: Int32) -> String? {
    switch mosq_err_t(rawValue: code) {
    case MOSQ_ERR_MALFORMED_UTF8:
      """
      the broker sent a message whose topic or properties are not valid UTF-8 or hold a control character; \
      a retained one comes again with each subscription: clear it, or subscribe past it
      """
    case MOSQ_ERR_DUPLICATE_PROPERTY:
      """
      the broker sent a packet with a property twice; if it sends one copy with all identifiers to overlapping \
      subscriptions, which libmosquitto does not read, subscribe without identifiers
      """
    case MOSQ_ERR_MALFORMED_PACKET:
      "the broker sent a packet with a property that MQTT 5 does not know"
    case MOSQ_ERR_PROTOCOL:
      "the broker sent something against MQTT, such as a message without a topic or an answer without a code"
    case MOSQ_ERR_NOMEM:
      "there is no memory for what the broker sent: set maximumPacketSize (MQTT 5)"
    default: nil
    }
  }
}
