/// What MQTT 5 can say about a message beside its payload. Hints: dropped without a word in MQTT 3.1.1.
///
/// A value of it is one pointer, nil when nothing is said, so that messages without properties stay small.
public struct MessageProperties: Sendable, Hashable {
  private var storage: Storage?

  /// Makes properties that say nothing, without looking at each.
  public init() {}

  /// Makes the properties; all of them are optional.
  public init(
    contentType: String? = nil, expiry: Duration? = nil, responseTopic: Topic? = nil,
    correlationData: [UInt8]? = nil, isText: Bool = false, userProperties: [UserProperty] = []
  ) {
    let fields = Fields(
      contentType: contentType, expiry: expiry, responseTopic: responseTopic,
      correlationData: correlationData, isText: isText, userProperties: userProperties)
    if fields != Fields() { storage = Storage(fields) }
  }

  /// A MIME type or whatever the two sides agreed on (MQTT 5, 3.3.2.3.9). An empty one is not sent.
  public var contentType: String? {
    get { storage?.fields.contentType }
    set { change { $0.contentType = newValue } }
  }

  /// How long the message is of use (MQTT 5, 3.3.2.3.3): more than zero. On the wire in whole seconds, rounded up,
  /// up to 136 years.
  ///
  /// It counts from the publish: what waits longer than this to be sent is not sent, in MQTT 3.1.1 too, and ends
  /// with ``PublishResult/expired``; what is sent carries the time that is left. On a message that came it is
  /// what the broker left of it; zero, if it said that.
  public var expiry: Duration? {
    get { storage?.fields.expiry }
    set { change { $0.expiry = newValue } }
  }

  /// Where an answer is expected (MQTT 5, 3.3.2.3.5). Nil on a message that came with one that can't be
  /// published to.
  public var responseTopic: Topic? {
    get { storage?.fields.responseTopic }
    set { change { $0.responseTopic = newValue } }
  }

  /// What an answer carries back, so that the asker knows its question again (MQTT 5, 3.3.2.3.6): at most
  /// 65,535 bytes.
  public var correlationData: [UInt8]? {
    get { storage?.fields.correlationData }
    set { change { $0.correlationData = newValue } }
  }

  /// Whether the payload is said to be UTF-8 (payload format indicator, MQTT 5, 3.3.2.3.2). What is sent has to be;
  /// of what comes nobody has checked it.
  public var isText: Bool {
    get { storage?.fields.isText ?? false }
    set { change { $0.isText = newValue } }
  }

  /// Names and values for the receiving program, in order (MQTT 5, 3.3.2.3.7).
  public var userProperties: [UserProperty] {
    get { storage?.fields.userProperties ?? [] }
    set { change { $0.userProperties = newValue } }
  }

  /// Whether nothing is said.
  public var isEmpty: Bool { storage == nil }

  /// Whether both say the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.storage === right.storage || left.storage?.fields == right.storage?.fields
  }

  /// Hashes what is said.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(storage?.fields)
  }

  private mutating func change(_ change: (inout Fields) -> Void) {
    var fields = storage?.fields ?? Fields()
    change(&fields)
    storage = fields == Fields() ? nil : Storage(fields)
  }
}

extension MessageProperties: CustomStringConvertible {
  /// What is said, such as "contentType: text/plain, k: v".
  public var description: String {
    let parts = [
      contentType.map { "contentType: \($0)" }, expiry.map { "expiry: \($0)" },
      responseTopic.map { "responseTopic: \($0)" },
      correlationData.map { "correlationData: \($0.count) bytes" }, isText ? "isText" : nil,
    ]
    let own = userProperties.map { "\($0.name): \($0.value)" }
    return (parts.compactMap(\.self) + own).joined(separator: ", ")
  }
}

extension MessageProperties {
  fileprivate struct Fields: Sendable, Hashable {
    var contentType: String?
    var expiry: Duration?
    var responseTopic: Topic?
    var correlationData: [UInt8]?
    var isText = false
    var userProperties: [UserProperty] = []
  }

  fileprivate final class Storage: Sendable {
    let fields: Fields

    init(_ fields: Fields) { self.fields = fields }
  }
}
