public import MQTT
import Signals

/// What a bus wants from its broker and what the broker has, at one moment: see ``Bus/snapshot()``.
public struct BusSnapshot: Sendable, Hashable, CustomStringConvertible {
  /// What the broker has of a filter.
  public enum Actual: Sendable, Hashable, CustomStringConvertible {
    /// Nothing: there is no connection, or the SUBSCRIBE is about to go out.
    case none
    /// A SUBSCRIBE or UNSUBSCRIBE is under way.
    case asked
    /// The subscription, at this QoS.
    case subscribed(QoS)
    /// Nothing, since a wider filter brings its messages too (MQTT 3.1.1).
    case covered
    /// Perhaps something: the link broke, or an answer did not come.
    case unknown

    /// One word, or two.
    public var description: String {
      switch self {
      case .none: "none"
      case .asked: "asked"
      case .subscribed(let qos): "QoS \(qos.rawValue)"
      case .covered: "covered"
      case .unknown: "unknown"
      }
    }
  }

  /// One filter.
  public struct Subscription: Sendable, Hashable {
    /// The filter.
    public let filter: TopicFilter
    /// The highest QoS that was asked for since somebody listens; nil when nobody does any more.
    public let wanted: QoS?
    /// What the broker has.
    public let actual: Actual
    /// How many listen; none during the linger.
    public let observers: Int
    /// How often the filter came to be wanted: who comes within the linger starts no new one.
    public let generation: Int

    /// Whether the broker has what is wanted.
    public var isSettled: Bool {
      switch actual {
      case .subscribed(let qos): wanted.map { qos >= $0 || $0 == .atLeastOnce } ?? false
      case .covered: wanted != nil
      case .none, .asked, .unknown: false
      }
    }
  }

  /// All filters that are wanted or that the broker may have, by name.
  public let subscriptions: [Subscription]

  /// Whether the broker has what is wanted, and nothing else.
  public var isSettled: Bool { subscriptions.allSatisfy(\.isSettled) }

  /// A line for each filter.
  public var description: String {
    subscriptions.map { one in
      let wanted = one.wanted.map { "wanted at QoS \($0.rawValue)" } ?? "not wanted"
      return
        "\(one.filter): \(wanted) by \(one.observers), broker: \(one.actual), generation \(one.generation)"
    }.joined(separator: "\n")
  }
}

extension BusCore {
  func snapshot() -> BusSnapshot {
    let subscriptions = state.withLock { state in
      state.table.entries.compactMap { filter, entry -> BusSnapshot.Subscription? in
        // What neither side has is about to be let go of.
        if entry.wanted == nil, entry.actual == .none { return nil }
        return BusSnapshot.Subscription(
          filter: filter, wanted: entry.wanted, actual: state.table.actual(of: filter, entry),
          observers: entry.observers, generation: entry.generation)
      }
    }
    return BusSnapshot(subscriptions: subscriptions.sorted { $0.filter.name < $1.filter.name })
  }
}

extension SubscriptionTable {
  fileprivate func actual(of filter: TopicFilter, _ entry: Entry) -> BusSnapshot.Actual {
    switch entry.actual {
    case .none: cover(of: filter, entry).isCovered ? .covered : .none
    case .subscribing, .unsubscribing: .asked
    case .unsure: .unknown
    case .subscribed(entry.identifier, let asked, let granted):
      // What it will ask for is under way, too.
      asked < entry.wanted ?? asked || isDue(filter) ? .asked : .subscribed(granted)
    case .subscribed: .asked
    }
  }
}
