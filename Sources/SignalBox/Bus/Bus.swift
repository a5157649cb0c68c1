public import MQTT
public import Signals

/// One connection to one broker: topics as signals, subjects as publishers.
///
/// It connects at the first subscriber or publish, connects again by itself whenever the link breaks, and stays until
/// `close()`. The broker has one subscription for each filter, exactly as long as somebody listens (and for the linger
/// after the last left), however many listen.
///
/// ```swift
/// let bus = try Bus("mqtt://localhost")
/// bus.signal("home/+/temperature", as: Double.self).subscribe { print($0) }
/// ```
///
/// Handlers run one after the other, in order, on a thread of the bus's own; what a newcomer has missed is replayed on
/// the thread that subscribes. A slow one holds up the messages behind it, and what the inbox has no room for: see
/// <doc:SlowConsumers>. It may wait for a publish or a subscribe of its own, but not for another message of its bus.
public final class Bus: Sendable {
  let core: BusCore
  let requests: Requests

  /// Makes a bus for the broker at `url`: `mqtt://[user[:password]@]host[:port]` or `unix:///path`.
  ///
  /// Nothing is sent or looked up yet. `linger` is how long a broker subscription stays after its last observer left.
  public convenience init(
    _ url: String, linger: Duration = .seconds(2), echo: Bool = true
  ) throws(ConnectionError) {
    try self.init(ConnectionOptions(url: url), linger: linger, echo: echo)
  }

  /// Makes a bus from connection options; throws when they can't be used.
  ///
  /// - Parameters:
  ///   - options: how to connect. A bus always begins with a new session (``ConnectionOptions/cleanStart``); with a
  ///     ``ConnectionOptions/sessionExpiry`` the broker keeps it while the link is down.
  ///   - linger: how long the broker keeps a subscription after its last observer left.
  ///   - echo: whether the bus receives what it publishes itself. False needs MQTT 5: signals fail where the broker
  ///     only speaks 3.1.1. Shared filters and the topics of jobs have their echo all the same.
  ///   - cacheLimits: how much is remembered of each filter for late subscribers: topics, and bytes of names and
  ///     payloads.
  ///   - scheduler: measures lingers and heartbeats. By default the bus has one of its own, which nobody else can hold
  ///     up.
  public init(
    _ options: ConnectionOptions, linger: Duration = .seconds(2), echo: Bool = true,
    cacheLimits: QueueSize = QueueSize(count: 10_000, bytes: 16 << 20),
    scheduler: any Scheduler = QueueScheduler(label: "signalbox")
  ) throws(ConnectionError) {
    if !echo, options.version == .v311 {
      throw .invalid("a bus without echo needs MQTT 5: leave the version open, or echo on")
    }
    core = try BusCore(options, linger: linger, echo: echo, cacheLimits: cacheLimits, scheduler)
    requests = Requests(core)
  }

  /// Where the connection stands; replays the present state.
  public var state: Signal<ConnectionState> { core.states.signal }

  /// What went wrong without ending a signal, for example payloads that don't decode.
  public var problems: Signal<Problem> { core.problems.signal }

  /// What the bus has done until now, and what it is at. Takes a look at each filter.
  public var metrics: BusMetrics { core.metrics }

  /// What is wanted from the broker and what it has. Takes a look at each filter.
  public func snapshot() -> BusSnapshot { core.snapshot() }

  /// The messages of a filter.
  ///
  /// The first subscriber makes the bus send SUBSCRIBE, later ones send nothing (but to raise the QoS) and get the
  /// retained message of each matching topic at once. After the last left and the linger passed,
  /// UNSUBSCRIBE follows. Observers see nothing of a broken link; it shows in ``state``. The signal fails when the
  /// filter is none, when the broker refuses it, or when it refuses the connection for good; and completes when the bus
  /// is closed.
  ///
  /// Brokers bound what waits for a client at QoS 1: of very many retained messages mosquitto sends about 1,000 beside those
  /// under way, unless its `max_queued_messages` is 0. At QoS 0 all arrive.
  ///
  /// `late` says what those get who subscribe when the broker has the subscription already.
  public func signal(
    _ filter: String, qos: QoS = .atLeastOnce, late: LatePolicy = .retained
  ) -> Signal<Message> {
    do throws(TopicError) {
      return signal(try TopicFilter(filter), qos: qos, late: late)
    } catch {
      return .failed(error)
    }
  }

  /// The messages of a filter: see ``signal(_:qos:late:)-(String,_,_)``.
  public func signal(
    _ filter: TopicFilter, qos: QoS = .atLeastOnce, late: LatePolicy = .retained
  ) -> Signal<Message> {
    .attaching { [core] in core.attach($0, filter, qos, late) }
  }

  /// Connects now, and returns when the broker has accepted; throws why the first attempt failed.
  ///
  /// Never needed: the first subscriber connects too. After a failure that another attempt may mend, the bus goes on
  /// trying.
  public func connect() async throws(ConnectionError) {
    let connection = try core.connection.get()
    do {
      for try await state in connection.states.values() {
        switch state {
        case .connected: return
        case .waiting(_, let cause): throw cause
        case .closed(let cause): throw cause ?? .closed
        case .idle, .connecting: continue
        }
      }
    } catch let error as ConnectionError {
      throw error
    } catch {}
    throw .closed
  }

  /// Sends one message, and returns when the broker has it (QoS 0: when it is written).
  ///
  /// While there is no connection, QoS 1 waits for one. Throws what the broker or the outbox said.
  public func publish(_ message: Publish) async throws(ConnectionError) {
    let connection = try core.connection.get()
    try await connection.publish(message)
  }

  /// Completes every signal, sends what waits, for `deadline` at most (5 s unless told otherwise), and says goodbye to the
  /// broker.
  ///
  /// Jobs that have not ended are reported as failed. What could not be sent, without a connection for example, is counted
  /// in ``BusMetrics/unsent`` and told as the last of the ``problems``. Idempotent.
  public func close(deadline: Duration = .seconds(5)) async {
    await core.close(deadline: deadline)
  }
}

/// Makes a bus, runs `body` with it, and closes it on every way out.
public func withBus<Result>(
  _ url: String, isolation: isolated (any Actor)? = #isolation, _ body: (Bus) async throws -> Result
) async throws -> Result {
  try await withBus(ConnectionOptions(url: url), isolation: isolation, body)
}

/// Makes a bus from options, runs `body` with it, and closes it on every way out.
public func withBus<Result>(
  _ options: ConnectionOptions, isolation: isolated (any Actor)? = #isolation,
  _ body: (Bus) async throws -> Result
) async throws -> Result {
  let bus = try Bus(options)
  do {
    let result = try await body(bus)
    await bus.close()
    return result
  } catch {
    await bus.close()
    throw error
  }
}
