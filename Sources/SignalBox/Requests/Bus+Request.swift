public import MQTT
public import Signals

extension Bus {
  /// Asks whoever responds on `topic`, and returns the answer. MQTT 5 only.
  ///
  /// The question goes out with QoS 1, as its own form or JSON like any value, once the bus is subscribed to its private
  /// reply topic, `signalbox/reply/…`, where this user has to be allowed to read. The first answer counts. Any number of
  /// requests may wait at a time. While there is no connection the question waits for one; one that is sent may be
  /// answered though nobody waits any more.
  ///
  /// ```swift
  /// let answer = try await bus.request("lamp/get", "state", timeout: .seconds(2))
  /// ```
  ///
  /// - Parameters:
  ///   - topic: where the question goes.
  ///   - question: what is asked; an empty text where the topic says it all.
  ///   - timeout: how long to wait for the answer, from now on, by the clock of the bus's scheduler.
  /// - Throws: ``RequestError`` when the connection speaks MQTT 3.1.1, when the broker says that nobody is subscribed to
  ///   the topic, which is not waited for, or when no answer came in time; ``BusError`` when the bus is closed, or the
  ///   broker refuses the connection or the reply topic; `ConnectionError` when the question could not be sent, for
  ///   example because this user may not; `TopicError`, ``PayloadError``; `CancellationError` when the task is cancelled.
  public func request(
    _ topic: String, _ question: some Encodable & Sendable, timeout: Duration = .seconds(5)
  ) async throws -> Message {
    let payload = try PayloadError.naming("the question on \"\(topic)\"") {
      try PayloadCoding.encode(question)
    }
    return try await requests.ask(Topic(topic), payload, timeout: timeout)
  }

  /// Asks whoever responds on `topic`, and returns the answer as a value: see ``request(_:_:timeout:)``.
  ///
  /// Throws a ``PayloadError``, which names the topic, when the answer is no such value.
  ///
  /// ```swift
  /// let level = try await bus.request("lamp/get", "brightness", as: Double.self)
  /// ```
  public func request<Answer: Decodable & Sendable>(
    _ topic: String, _ question: some Encodable & Sendable, as type: Answer.Type,
    timeout: Duration = .seconds(5)
  ) async throws -> Answer {
    let answer = try await request(topic, question, timeout: timeout)
    return try PayloadError.naming("the answer on \"\(topic)\"") {
      try PayloadCoding.decoder(for: type)(answer.payload)
    }
  }

  /// Answers requests: `answer` makes of each message of `filter` what goes to its response topic, as its own form or
  /// JSON like any value. MQTT 5 only.
  ///
  /// Each question is answered in a task of its own, so a slow answer holds up no other, and answers may overtake each
  /// other. Where `answer` throws nothing is sent, and the error goes to ``problems``: to tell the asker, answer with a
  /// value that says so. A question without a response topic is not answered and goes to ``problems`` too; over
  /// MQTT 3.1.1 none has one. Topics that end in `_progress`, `_state` or `_cancel` are skipped unless the filter itself
  /// does, and answers to requests are never taken for questions.
  ///
  /// With a filter `$share/group/…` each question goes to one of those who respond for the group.
  ///
  /// ```swift
  /// let service = try bus.respond(to: "lamp/get") { question in await lamp.state }
  /// try await service.ready
  /// ```
  ///
  /// - Returns: the subscription; its disposal cancels the answers that are being made. It fails, which is also a
  ///   problem, when the broker refuses the filter or the connection, and completes when the bus is closed.
  /// - Throws: `TopicError` when the filter is none; ``RequestError/needsMQTT5`` when the bus was told to speak
  ///   MQTT 3.1.1.
  @discardableResult
  public func respond<Answer: Encodable & Sendable>(
    to filter: String, qos: QoS = .atLeastOnce,
    _ answer: @escaping @Sendable (Message) async throws -> Answer
  ) throws -> Subscription {
    let filter = try TopicFilter(filter)
    guard core.options.version == .v5 else { throw RequestError.needsMQTT5 }
    let responder = Responder(core, spellsReserved: JobTopic.isReserved(filter.pattern)) {
      try PayloadCoding.encode(try await answer($0))
    }
    return signal(filter, qos: qos).flatMap { question in
      .from { await responder.respond(to: question) }
    }.subscribe(failed: { [core] error in
      core.problems.send(Problem(filter.name, "nobody responds any more: \(error)"))
    })
  }

  /// Answers requests whose payload is a value: see ``respond(to:qos:_:)``.
  ///
  /// A payload that does not decode is not answered, and goes to ``problems``.
  ///
  /// ```swift
  /// try bus.respond(to: "sum", as: [Double].self) { $0.reduce(0, +) }
  /// ```
  @discardableResult
  public func respond<Question: Decodable & Sendable, Answer: Encodable & Sendable>(
    to filter: String, as type: Question.Type, qos: QoS = .atLeastOnce,
    _ answer: @escaping @Sendable (Question) async throws -> Answer
  ) throws -> Subscription {
    let decode = PayloadCoding.decoder(for: type)
    return try respond(to: filter, qos: qos) { try await answer(try decode($0.payload)) }
  }
}
