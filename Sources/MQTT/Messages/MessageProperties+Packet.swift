extension MessageProperties {
  /// The longest expiry and will delay that go over the wire.
  static let longestSeconds = Duration.seconds(Int64(UInt32.max))

  /// The bytes that these take in a packet, without the length in front of them.
  var encodedSize: Int {
    if isEmpty { return 0 }
    var size = 0
    if let contentType, !contentType.isEmpty { size += 3 + contentType.utf8.count }
    if expiry != nil { size += 5 }
    if let responseTopic { size += 3 + responseTopic.name.utf8.count }
    if let correlationData { size += 3 + correlationData.count }
    if isText { size += 2 }
    for property in userProperties { size += 5 + property.name.utf8.count + property.value.utf8.count }
    return size
  }

  /// What libmosquitto would send wrongly, or a broker drop the connection for. libmosquitto does not look at the
  /// values of user properties at all, and cuts what is too long.
  func problem(payload: [UInt8]) -> String? {
    if isEmpty { return nil }
    if let contentType, let fault = TopicText.fault(in: contentType) { return "the content type \(fault)" }
    if let expiry, expiry <= .zero {
      return "the expiry of \(expiry) is not more than zero: leave it out or let the message live longer"
    }
    if let correlationData, correlationData.count > TopicText.maximumBytes {
      return "the correlation data has \(correlationData.count) bytes: 65,535 are allowed"
    }
    if isText, String(validating: payload, as: UTF8.self) == nil {
      return "the payload is said to be text and is not UTF-8: leave isText out"
    }
    for (index, property) in userProperties.enumerated() {
      if let fault = TopicText.fault(in: property.name) {
        return "the name of user property \(index + 1) \(fault)"
      }
      if let fault = TopicText.fault(in: property.value) {
        return "the value of user property \"\(property.name.prefix(40))\" \(fault)"
      }
    }
    return nil
  }

  /// The same with what is left of an expiry that ends at `deadline`; never nothing, which brokers take for
  /// "without an end".
  func aged(until deadline: ContinuousClock.Instant, at now: ContinuousClock.Instant) -> Self {
    var aged = self
    aged.expiry = max(now.duration(to: deadline), .nanoseconds(1))
    return aged
  }
}
