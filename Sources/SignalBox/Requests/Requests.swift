import MQTT
import Signals

/// The requests of one bus that wait for their answers.
///
/// They share one reply topic, which nobody else knows. It is subscribed to while any of them waits, and for the linger.
final class Requests: Sendable {
  static let topicPrefix = "signalbox/reply/"

  private typealias Asker = Outcome<Message>

  private final class Question: Sendable {
    let topic: Topic
    let payload: [UInt8]
    let asker = Asker()

    init(_ topic: Topic, _ payload: [UInt8]) {
      self.topic = topic
      self.payload = payload
    }
  }

  private final class Table: Sendable {
    let pending = Lock(PendingAnswers<Asker>())
  }

  private let core: BusCore
  private let replyTopic: Topic?
  private let table = Table()
  /// Gives answers to who waits for them, while anybody is subscribed; sends nothing that counts, and fails when no answer
  /// can come any more.
  private let replies: Signal<Void>

  init(_ core: BusCore) {
    self.core = core
    let name = Self.topicPrefix + Self.randomName()
    replyTopic = try? Topic(name)
    let messages = Signal<Message>.attaching { observer in
      (try? TopicFilter(name)).flatMap { core.attach(observer, $0, .atLeastOnce, .none) }
    }
    let answers = messages.compactMap { [table] message -> Void? in
      table.pending.withLock { $0.take(message.properties.correlationData) }?.settle(.success(message))
      return nil
    }
    // The version first: in MQTT 3.1.1 there is nothing to subscribe for. A bus that closes completes its messages.
    replies = Signal.merge(
      core.states.signal.tryMap(Self.check), answers.concat(with: .failed(BusError.closed))
    )
    .shared()
  }

  /// Asks, and waits for the answer.
  func ask(_ topic: Topic, _ payload: [UInt8], timeout: Duration) async throws -> Message {
    guard core.options.version == .v5 else { throw RequestError.needsMQTT5 }
    let question = Question(topic, payload)
    let asker = question.asker
    let deadline = core.scheduler.now + timeout
    let correlation = table.pending.withLock { $0.ask(asker) }
    let timer = core.scheduler.schedule(after: timeout) { [core] in
      asker.settle(.failure(core.timedOut(topic, after: timeout)))
    }
    let subscription = replies.subscribe(failed: { asker.settle(.failure($0)) })
    defer {
      timer.dispose()
      subscription.dispose()
      let unanswered = table.pending.withLock { $0.take(correlation) }
      withExtendedLifetime((unanswered, question)) {}
    }
    return try await withTaskCancellationHandler {
      try Task.checkCancellation()
      // Weakly: while there is no connection, what waits for one would pile up.
      subscription.whenReady { [self, weak question] in
        // What waits for a connection longer than the asker does is not sent.
        let left = deadline - core.scheduler.now
        guard let question, !question.asker.isSettled, left > .zero else { return }
        let properties = MessageProperties(
          expiry: left, responseTopic: replyTopic, correlationData: correlation)
        send(Publish(question.topic, question.payload, properties: properties), question.asker, timeout)
      }
      return try await asker.wait(isolation: nil)
    } onCancel: {
      asker.settle(.failure(CancellationError()))
    }
  }

  private func send(_ question: Publish, _ asker: Asker, _ timeout: Duration) {
    let connection: Connection
    switch core.connection {
    case .success(let current): connection = current
    case .failure(let error): return asker.settle(.failure(BusError(error)))
    }
    connection.publish(question) { [core] result in
      switch result {
      case .acknowledged(.noMatchingSubscribers):
        asker.settle(.failure(RequestError.nobodyResponds(question.topic)))
      case .acknowledged, .sent, .superseded: break
      case .expired: asker.settle(.failure(core.timedOut(question.topic, after: timeout)))
      case .refused(let code): asker.settle(.failure(ConnectionError.publishRefused(question.topic, code)))
      case .overflowed: asker.settle(.failure(ConnectionError.outboxFull(question.topic)))
      case .failed(.closed): asker.settle(.failure(BusError.closed))
      case .failed(let error): asker.settle(.failure(error))
      }
    }
  }

  private static func check(_ state: ConnectionState) throws {
    if case .connected(let session) = state, session.version != .v5 { throw RequestError.needsMQTT5 }
  }

  private static func randomName() -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    return String((0..<20).map { _ in letters[Int.random(in: letters.indices)] })
  }
}

extension BusError {
  fileprivate init(_ error: ConnectionError) {
    self = error == .closed ? .closed : .refused(error)
  }
}

extension BusCore {
  /// Whoever responds is not to blame when there is no connection.
  fileprivate func timedOut(_ topic: Topic, after limit: Duration) -> RequestError {
    let (isConnected, cause) = state.withLock { ($0.session != nil, $0.outage) }
    return isConnected ? .timedOut(topic, after: limit) : .notConnected(topic, after: limit, cause: cause)
  }
}
