extension Connection {
  /// Asks the broker for `subscribes` and returns its answers, in their order.
  public func subscribe(_ subscribes: [Subscribe]) async throws(ConnectionError) -> [SubscribeResult] {
    let result = await withCheckedContinuation { continuation in
      subscribe(subscribes) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// Ends the subscriptions to `filters` and returns when the broker has answered.
  public func unsubscribe(_ filters: [TopicFilter]) async throws(ConnectionError) {
    let result = await withCheckedContinuation { continuation in
      unsubscribe(filters) { continuation.resume(returning: $0) }
    }
    try result.get()
  }

  /// Sends a message and returns when it is written (QoS 0) or acknowledged, or a newer one took its place.
  ///
  /// While there is no connection, a message that waits for one makes this call wait too. Cancelling the task does
  /// not take the message back; its ``MessageProperties/expiry`` bounds the wait.
  @discardableResult
  public func publish(_ publish: Publish) async throws(ConnectionError) -> PublishResult {
    let result = await withCheckedContinuation { continuation in
      self.publish(publish) { continuation.resume(returning: $0) }
    }
    switch result {
    case .sent, .acknowledged, .superseded: return result
    case .expired: throw .expired(publish.topic)
    case .refused(let code): throw .publishRefused(publish.topic, code)
    case .overflowed: throw .outboxFull(publish.topic)
    case .failed(let error): throw error
    }
  }

  /// Sends what waits, for `deadline` at most, says goodbye to the broker and returns when the threads are done, or at
  /// the deadline if a handler is not.
  public func close(deadline: Duration = .seconds(5)) async {
    await withCheckedContinuation { continuation in
      close(deadline: deadline) { continuation.resume() }
    }
  }
}
