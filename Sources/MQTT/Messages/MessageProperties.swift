/// What MQTT 5 can say about a message beside its payload. Hints: dropped without a word in MQTT 3.1.1.
public struct MessageProperties: Sendable, Hashable {
  /// A MIME type or whatever the two sides agreed on. An empty one is not sent.
  public var contentType: String?

  /// How long the broker keeps the message for subscribers; whole seconds, rounded up.
  public var expiry: Duration?

  /// Names and values for the receiving program.
  public var userProperties: [UserProperty]

  /// Makes the properties; all of them are optional.
  public init(contentType: String? = nil, expiry: Duration? = nil, userProperties: [UserProperty] = []) {
    self.contentType = contentType
    self.expiry = expiry
    self.userProperties = userProperties
  }

  var isEmpty: Bool {
    (contentType ?? "").isEmpty && expiry == nil && userProperties.isEmpty
  }

  /// The bytes that these take in a packet, without the length in front of them.
  var encodedSize: Int {
    var size = 0
    if let contentType, !contentType.isEmpty { size += 3 + contentType.utf8.count }
    if expiry != nil { size += 5 }
    for property in userProperties { size += 5 + property.name.utf8.count + property.value.utf8.count }
    return size
  }

  /// What libmosquitto would send wrongly, or a broker drop the connection for.
  var problem: String? {
    let strings = [contentType ?? ""] + userProperties.flatMap { [$0.name, $0.value] }
    for string in strings {
      if string.utf8.count > TopicText.maximumBytes { return "a property has more than 65,535 bytes" }
      if TopicText.firstForbidden(in: string) != nil { return "a property holds a control character" }
    }
    if let expiry, expiry < .zero { return "the expiry is negative" }
    return nil
  }
}
