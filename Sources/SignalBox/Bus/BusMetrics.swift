public import MQTT
import Synchronization

/// What a bus has done until now, and what it is at: see ``Bus/metrics``.
public struct BusMetrics: Sendable, Hashable, CustomStringConvertible {
  /// How long brokers took to answer SUBSCRIBEs.
  public struct Latency: Sendable, Hashable, CustomStringConvertible {
    /// How many answers there were.
    public var count = 0
    /// On average.
    public var mean = Duration.zero
    /// At most.
    public var longest = Duration.zero

    /// The mean and the longest.
    public var description: String {
      count == 0 ? "none" : "mean \(mean.brief), longest \(longest.brief)"
    }
  }

  /// What the connections have done, and what the present one is at; a bus has another one after it was refused for
  /// good.
  public var connection = ConnectionMetrics()
  /// The filters that are wanted.
  public var filters = 0
  /// Those who listen to them.
  public var observers = 0
  /// The messages that nobody wanted when it was their turn, for example of a subscription that is being ended.
  public var unrouted = 0
  /// The payloads that did not decode.
  public var undecodable = 0
  /// The messages of subjects, signals, jobs and answers that the bus still had at the end of its close, or that came
  /// afterwards.
  public var unsent = 0
  /// The late subscribers for whom the broker was asked once more, because not all was remembered.
  public var refetches = 0
  /// The time from SUBSCRIBE to SUBACK.
  public var subscribing = Latency()

  /// One line.
  public var description: String {
    let c = connection
    let stalled = c.stalledHandler.map { ", \($0)" } ?? ""
    return
      "in \(c.messagesReceived), out \(c.messagesSent), dropped \(c.messagesDropped), unrouted \(unrouted), "
      + "undecodable \(undecodable), connects \(c.connects), filters \(filters), observers \(observers), "
      + "inbox \(c.inbox.count), outbox \(c.outbox.count), unsent \(unsent), SUBSCRIBE \(subscribing)\(stalled)"
  }
}

extension BusCore {
  var metrics: BusMetrics {
    var metrics = BusMetrics()
    let (link, former) = state.withLock { state in
      metrics.filters = state.table.allOwners.count
      metrics.observers = state.table.entries.values.reduce(0) { $0 + $1.observers }
      return (state.link, state.formerConnections)
    }
    if let link { metrics.connection = link.connection.metrics }
    metrics.connection.add(former)
    metrics.unrouted = counters.unrouted.load(ordering: .relaxed)
    metrics.undecodable = counters.undecodable.load(ordering: .relaxed)
    metrics.unsent = counters.unsent.load(ordering: .relaxed)
    metrics.refetches = counters.refetches.load(ordering: .relaxed)
    let latency = counters.latency.withLock { $0 }
    metrics.subscribing.count = latency.count
    metrics.subscribing.longest = latency.longest
    if latency.count > 0 { metrics.subscribing.mean = latency.sum / latency.count }
    return metrics
  }
}

extension ConnectionMetrics {
  /// Adds what another connection has done; not what it is at.
  mutating func add(_ other: ConnectionMetrics) {
    connects += other.connects
    messagesReceived += other.messagesReceived
    bytesReceived += other.bytesReceived
    messagesSent += other.messagesSent
    messagesDropped += other.messagesDropped
    inboxOverflows += other.inboxOverflows
  }
}
