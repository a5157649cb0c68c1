import CMosquitto

extension Handle {
  /// Why the link is broken, by what the library returned and what it told before.
  func failure(_ code: Int32) -> ConnectionError {
    // Of this side's own codes none is 128 or more. Zero is that of a normal goodbye: the library also tells this
    // side's own by it, but then nobody asks.
    if let ending, ending.code >= 128 || ending.code == 0 {
      return .disconnected(ReasonCode(rawValue: UInt8(clamping: ending.code)))
    }
    switch mosq_err_t(rawValue: code) {
    case MOSQ_ERR_SUCCESS, MOSQ_ERR_CONN_LOST: return hint.map { .linkLost($0) } ?? .closedByBroker
    case MOSQ_ERR_KEEPALIVE: return .linkLost("the broker did not answer within the keep-alive")
    // The end of the stream inside a packet.
    case MOSQ_ERR_ERRNO where ending?.errno == 0:
      return .linkLost("the broker closed it in the middle of a packet")
    case MOSQ_ERR_ERRNO: return .linkLost(ending.map { systemError($0.errno) } ?? Self.words(code))
    default: return .linkLost(Self.fault(code) ?? Self.words(code))
    }
  }

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
    // Only from 2.0.16 on: earlier versions end the process when a broker sends a property that they don't know.
    case MOSQ_ERR_MALFORMED_PACKET:
      "the broker sent a packet with a property that MQTT 5 does not know"
    case MOSQ_ERR_PROTOCOL:
      """
      the broker sent something against MQTT, such as a message without a topic, an answer without a code or a packet \
      that only clients send; or a goodbye without a reason, which libmosquitto does not read: look into its log
      """
    case MOSQ_ERR_NOMEM:
      "there is no memory for what the broker sent: set maximumPacketSize (MQTT 5); or it sent an AUTH without a reason"
    default: nil
    }
  }
}
