import MQTT
import Signals

/// One filter that somebody listens to, from the first observer until the linger after the last: who observes it,
/// and what newcomers get. The bus has another one when somebody listens again later.
final class Upstream: Sendable {
  let filter: TopicFilter
  /// What copies for it carry, where the broker knows identifiers.
  let identifier: UInt32
  let cache: RetainedCache
  let subject: Subject<Message>
  /// Looked at for every message.
  private let isReserved: Bool

  init(_ filter: TopicFilter, _ identifier: UInt32, cacheLimits: QueueSize) {
    self.filter = filter
    self.identifier = identifier
    isReserved = JobTopic.isReserved(filter.name)
    // A broker stores nothing for a shared filter (MQTT 5, 4.8.2).
    cache = RetainedCache(limits: filter.sharedGroup == nil ? cacheLimits : QueueSize(count: 0, bytes: 0))
    subject = filter.sharedGroup == nil ? Subject(store: cache) : Subject()
  }

  /// Whether live messages are to keep the flag that they were published with. What a job says of its life is always
  /// retained, so there the flag can tell what this means for a reader: stored or live. Elsewhere only the flag as
  /// published tells what a late subscriber has to get.
  func keepsRetainFlag(_ version: ProtocolVersion) -> Bool {
    version == .v5 && !isReserved
  }

  func receive(_ message: Message, _ link: LinkFacts) {
    if filter.sharedGroup != nil { return share(message, link) }
    let admitted = cache.admit(
      message, link: link.number, keepsRetainFlag: keepsRetainFlag(link.version), isResumed: link.isResumed)
    if let admitted { subject.send(admitted) }
  }

  /// Nothing that is stored belongs to a share of the stream: each member would get it. Some brokers send it all the
  /// same in MQTT 3.1.1; in MQTT 5 they are told not to.
  private func share(_ message: Message, _ link: LinkFacts) {
    if message.isRetained, link.version == .v311 { return }
    var message = message
    message.origin = .live
    subject.send(message)
  }

  /// A wider filter has received what this one's observers shall have. In the order of the messages.
  func fill(from wider: Upstream) {
    for message in cache.adopt(wider.cache, filter) { subject.send(message) }
  }
}

/// What has to be known of the link that messages came by.
struct LinkFacts: Sendable {
  var number: UInt32 = 0
  var version = ProtocolVersion.v5
  /// Whether the broker had kept the session.
  var isResumed = false
}
