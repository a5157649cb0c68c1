import MQTT

/// Identifiers of subscriptions that nobody wants any more, and of which filter they were: a broker may still have
/// messages with them in its queues. Only the last ones are remembered.
struct FormerIdentifiers {
  static var capacity: Int { 1_000 }

  private var filters: [UInt32: TopicFilter] = [:]
  /// A ring, once it is full.
  private var identifiers: [UInt32] = []
  private var oldest = 0

  subscript(identifier: UInt32) -> TopicFilter? { filters[identifier] }

  mutating func add(_ identifier: UInt32, _ filter: TopicFilter) {
    filters[identifier] = filter
    if identifiers.count < Self.capacity { return identifiers.append(identifier) }
    filters[identifiers[oldest]] = nil
    identifiers[oldest] = identifier
    oldest = (oldest + 1) % Self.capacity
  }
}
