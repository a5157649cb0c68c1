import MQTT

/// What the broker shall have from us, and what it has, as a pure value type.
///
/// Intents change what is *wanted*; the difference to what is *actual* comes out as packets to send. For each filter
/// at most one packet is under way, and its answer starts the next comparison, so any interleaving of intents,
/// answers and broken links ends in the last intent.
struct SubscriptionTable: Sendable {
  enum Actual: Equatable, Sendable {
    case none
    case subscribing(QoS)
    /// Its SUBSCRIBE is under way, but who wanted it has gone. Whoever wants it now needs another one: what the broker
    /// has in store went to nobody.
    case abandoned
    /// The QoS that was asked for; what was granted may be lower.
    case subscribed(QoS)
    case unsubscribing
    /// A session that the broker kept may or may not hold it.
    case unsure
  }

  struct Entry: Equatable, Sendable {
    let identifier: UInt32
    var wanted: QoS?
    var actual = Actual.none
  }

  enum Action: Equatable, Sendable {
    /// A raise asks for a higher QoS of a subscription that is there: the broker need not send its stored messages.
    case subscribe(TopicFilter, QoS, identifier: UInt32, isRaise: Bool)
    case unsubscribe(TopicFilter)
  }

  private(set) var entries: [TopicFilter: Entry] = [:]
  private(set) var isConnected = false
  private var filters: [UInt32: TopicFilter] = [:]
  private var lastIdentifier: UInt32 = 0

  /// The filter whose subscription carries `identifier`, as long as it is wanted or the broker may have it.
  func filter(of identifier: UInt32) -> TopicFilter? { filters[identifier] }

  /// Somebody listens to `filter`. A lower QoS than the one wanted already changes nothing.
  mutating func want(_ filter: TopicFilter, _ qos: QoS) -> Action? {
    var entry = entries[filter] ?? newEntry(filter)
    entry.wanted = max(qos, entry.wanted ?? qos)
    entries[filter] = entry
    return reconcile(filter)
  }

  /// Nobody listens to `filter` any more.
  mutating func unwant(_ filter: TopicFilter) -> Action? {
    entries[filter]?.wanted = nil
    if case .subscribing = entries[filter]?.actual { entries[filter]?.actual = .abandoned }
    return reconcile(filter)
  }

  /// The broker accepted a connection.
  mutating func connected(sessionPresent: Bool) -> [Action] {
    isConnected = true
    if !sessionPresent {
      for filter in entries.keys { entries[filter]?.actual = .none }
    }
    return entries.keys.compactMap { reconcile($0) }
  }

  /// The link broke: answers that are under way will not come, and what the broker has depends on its session.
  mutating func disconnected() {
    isConnected = false
    for (filter, entry) in entries where entry.actual != .none { entries[filter]?.actual = .unsure }
  }

  /// The broker accepted the subscription that was under way.
  mutating func granted(_ filter: TopicFilter) -> Action? {
    switch entries[filter]?.actual {
    case .subscribing(let qos): entries[filter]?.actual = .subscribed(qos)
    case .abandoned: entries[filter]?.actual = .unsure
    default: return nil
    }
    return reconcile(filter)
  }

  /// The broker refused it: nobody's want any more, until the next subscriber tries again.
  mutating func refused(_ filter: TopicFilter) {
    switch entries[filter]?.actual {
    case .subscribing, .abandoned: remove(filter)
    default: break
    }
  }

  /// No answer came in time: ask again.
  mutating func unanswered(_ filter: TopicFilter) -> Action? {
    switch entries[filter]?.actual {
    case .subscribing, .abandoned, .unsubscribing:
      entries[filter]?.actual = .unsure
      return reconcile(filter)
    default:
      return nil
    }
  }

  /// The broker confirmed the unsubscription that was under way.
  mutating func unsubscribed(_ filter: TopicFilter) -> Action? {
    guard entries[filter]?.actual == .unsubscribing else { return nil }
    entries[filter]?.actual = Actual.none
    return reconcile(filter)
  }

  private mutating func reconcile(_ filter: TopicFilter) -> Action? {
    guard var entry = entries[filter] else { return nil }
    if entry.wanted == nil, entry.actual == .none { remove(filter) }
    guard isConnected else { return nil }
    let action: Action
    switch (entry.wanted, entry.actual) {
    case (let wanted?, .none), (let wanted?, .unsure):
      entry.actual = .subscribing(wanted)
      action = .subscribe(filter, wanted, identifier: entry.identifier, isRaise: false)
    case (let wanted?, .subscribed(let actual)) where actual < wanted:
      entry.actual = .subscribing(wanted)
      action = .subscribe(filter, wanted, identifier: entry.identifier, isRaise: true)
    case (nil, .subscribed), (nil, .unsure):
      entry.actual = .unsubscribing
      action = .unsubscribe(filter)
    case (nil, .none), (_, .subscribing), (_, .abandoned), (_, .unsubscribing), (_?, .subscribed):
      return nil
    }
    entries[filter] = entry
    return action
  }

  /// From 1 to 268,435,455 (MQTT 5, 3.8.2.1.2); one comes again only after all others were used.
  private mutating func newEntry(_ filter: TopicFilter) -> Entry {
    lastIdentifier = lastIdentifier % 268_435_455 + 1
    filters[lastIdentifier] = filter
    return Entry(identifier: lastIdentifier)
  }

  private mutating func remove(_ filter: TopicFilter) {
    guard let entry = entries.removeValue(forKey: filter) else { return }
    filters[entry.identifier] = nil
  }
}
