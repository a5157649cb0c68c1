public import MQTT
public import Signals
import Synchronization

extension Bus {
  /// A subject whose values are published to `topic`: text, numbers, booleans and bytes as they are, else JSON.
  ///
  /// Progress that is sent into it goes to `topic/_progress`, retained, at most four times a second and always the
  /// latest. Its end ends the publishing and sends nothing: life cycles belong to jobs. A value that has no form on the
  /// wire goes to ``problems``. Throws when the topic is none.
  ///
  /// ```swift
  /// let setpoint = try bus.subject(to: "heating/setpoint", as: Double.self, retain: true)
  /// setpoint.send(21.5)
  /// ```
  public func subject<Value: Encodable & Sendable>(
    to topic: String, as type: Value.Type, qos: QoS = .atLeastOnce, retain: Bool = false
  ) throws -> Subject<Value> {
    let subject = Subject<Value>()
    try publish(subject.signal, to: topic, qos: qos, retain: retain)
    return subject
  }

  /// Publishes what a signal sends, for as long as it is not disposed: see ``subject(to:as:qos:retain:)``.
  @discardableResult
  public func publish<Value: Encodable & Sendable>(
    _ signal: Signal<Value>, to topic: String, qos: QoS = .atLeastOnce, retain: Bool = false
  ) throws -> Subscription {
    let topics = try JobTopic(topic)
    let progress = ProgressPublisher(topics.progress, core)
    return signal.subscribe { [core] value in
      do {
        core.publish(Publish(topics.values, try PayloadCoding.encode(value), qos: qos, retain: retain))
      } catch {
        core.problems.send(Problem(topic, "\(error)"))
      }
    } progress: {
      progress.report($0)
    } failed: { _ in
      progress.finish()
    } completed: {
      progress.finish()
    }
  }
}

extension BusCore {
  /// Queues a message; what becomes of it unseen goes to the problems.
  func publish(_ message: Publish) {
    let connection: Connection
    switch self.connection {
    case .success(let current): connection = current
    case .failure(let error): return report(message, .failed(error))
    }
    connection.publish(message) { [weak self] in self?.report(message, $0) }
  }

  func report(_ message: Publish, _ result: PublishResult) {
    if count(result) { return }
    problems.send(Problem(message.topic.name, "not published: \(result)", message.payload))
  }

  /// Whether that is all there is to do: when a bus is closed, one problem tells of all that it still had. Runs no handler.
  func count(_ result: PublishResult) -> Bool {
    if result == .failed(.closed) { counters.unsent.add(1, ordering: .relaxed) }
    return result.isSuccess || result == .failed(.closed)
  }

  /// Once, however many close the bus.
  func reportUnsent() {
    let (isFirst, outage) = state.withLock { state in
      defer { state.hasReportedUnsent = true }
      return (!state.hasReportedUnsent, state.outage)
    }
    let count = counters.unsent.load(ordering: .relaxed)
    guard isFirst, count > 0 else { return }
    let messages = count == 1 ? "1 message" : "\(count) messages"
    let reason =
      outage.map { "\(messages) not sent: the bus was closed without a connection: \($0)" }
      ?? "\(messages) perhaps not sent: the bus was closed before the broker answered; give it a longer deadline"
    problems.send(Problem("", reason))
  }
}

/// The progress of a signal that is published: thinned out, without a run.
private final class ProgressPublisher: Sendable {
  private struct State {
    var throttle = ProgressThrottle()
    var isFinished = false
  }

  private let topic: Topic
  private let core: BusCore
  private let state = Lock(State())
  // What the throttle lets through, in that order.
  private let outgoing = DrainQueue<ProgressUpdate>()

  init(_ topic: Topic, _ core: BusCore) {
    self.topic = topic
    self.core = core
  }

  func report(_ update: ProgressUpdate) {
    perform { state, scheduler in state.throttle.report(update) { scheduler.now } }
  }

  /// The latest goes out, if it has not yet.
  func finish() {
    perform { state, scheduler in
      state.isFinished = true
      return state.throttle.fired(now: scheduler.now)
    }
  }

  private func perform(_ step: (inout State, any Scheduler) -> ProgressThrottle.Action) {
    let scheduler = core.scheduler
    let (delay, mine) = state.withLock { state -> (Duration?, ProgressUpdate?) in
      guard !state.isFinished else { return (nil, nil) }
      switch step(&state, scheduler) {
      case .nothing: return (nil, nil)
      case .arm(let delay): return (delay, nil)
      case .send(let update): return (nil, outgoing.enter(update))
      }
    }
    if let delay {
      scheduler.schedule(after: delay) { [self] in perform { $0.throttle.fired(now: $1.now) } }
    }
    var next = mine
    while let update = next {
      publish(update)
      next = outgoing.next()
    }
  }

  private func publish(_ update: ProgressUpdate) {
    guard let payload = try? ProgressMessage(update).payload() else { return }
    core.publish(
      Publish(topic, payload, qos: .atMostOnce, retain: true, conflates: true, queuesOffline: true))
  }
}
