extension Signal {
  /// The values as an async sequence, which ends with the signal and throws its error.
  ///
  /// Iterating subscribes; leaving the loop and cancelling the task dispose. The terminal is never dropped, and comes
  /// after the values that are kept. Each iteration is a subscription of its own.
  ///
  /// ```swift
  /// for try await value in signal.values() { … }
  /// ```
  public func values(buffer: BufferPolicy = .unbounded) -> SignalValues<Value> {
    SignalValues(signal: self, policy: buffer)
  }
}

/// The values of a signal as an async sequence: see `Signal.values(buffer:)`.
public struct SignalValues<Value: Sendable>: AsyncSequence, Sendable {
  fileprivate let signal: Signal<Value>
  fileprivate let policy: BufferPolicy

  /// Subscribes.
  public func makeAsyncIterator() -> Iterator { Iterator(signal, policy) }

  /// One subscription; dropping it disposes.
  public final class Iterator: AsyncIteratorProtocol {
    private let buffer: ValueBuffer<Value>
    private let subscription: Subscription
    // A whole batch is taken at once: only an empty buffer costs a lock or a suspension.
    private var batch = ContiguousArray<Value>()[...]

    fileprivate init(_ signal: Signal<Value>, _ policy: BufferPolicy) {
      let buffer = ValueBuffer<Value>(policy)
      self.buffer = buffer
      subscription = signal.subscribe {
        buffer.send($0)
      } failed: {
        buffer.end(.failed($0))
      } completed: {
        buffer.end(.completed)
      }
    }

    deinit { subscription.dispose() }

    /// How many values the policy has dropped so far.
    public var dropped: Int { buffer.dropped }

    /// The next value; `nil` at the completion or when the task is cancelled.
    public func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Value? {
      if let value = batch.popFirst() { return value }
      let taken = await withTaskCancellationHandler {
        await buffer.take(isolation: actor)
      } onCancel: { [buffer, subscription] in
        subscription.dispose()
        buffer.end(.completed, dropping: true)
      }
      batch = taken.values[...]
      if let value = batch.popFirst() { return value }
      if case .failed(let error) = taken.end { throw error }
      return nil
    }
  }
}

/// Values on their way from a signal to one consumer.
private final class ValueBuffer<Value: Sendable>: Sendable {
  typealias Batch = (values: ContiguousArray<Value>, end: End?)

  private struct State {
    var values = Ring<Value>()
    var end: End?
    var dropped = 0
    var consumer: CheckedContinuation<Batch, Never>?

    /// What a consumer gets: values, or else the end (which stays and is given again); `nil` when there is neither.
    mutating func takeBatch() -> Batch? {
      guard !values.isEmpty || end != nil else { return nil }
      let batch = (values.elements, values.isEmpty ? end : nil)
      values = Ring()
      return batch
    }
  }

  private let policy: BufferPolicy
  private let state = Lock(State())

  init(_ policy: BufferPolicy) { self.policy = policy }

  var dropped: Int { state.withLock { $0.dropped } }

  func send(_ value: Value) {
    let (consumer, displaced) = state.withLock { state -> (CheckedContinuation<Batch, Never>?, Value?) in
      guard state.end == nil else { return (nil, nil) }
      if let consumer = state.consumer.take() { return (consumer, nil) }
      switch policy {
      case .oldest(let bound) where state.values.count >= bound:
        state.dropped += 1
        return (nil, nil)
      case .newest(let bound) where state.values.count >= bound:
        state.dropped += 1
        let displaced = state.values.popFirst()
        if bound > 0 { state.values.append(value) }
        return (nil, displaced)
      case .unbounded, .newest, .oldest:
        state.values.append(value)
        return (nil, nil)
      }
    }
    consumer?.resume(returning: ([value], nil))
    _ = consume displaced
  }

  /// The stream has ended; `dropping` what was not taken yet.
  func end(_ end: End, dropping: Bool = false) {
    let (consumer, left) = state.withLock { state -> (CheckedContinuation<Batch, Never>?, Ring<Value>) in
      var left = Ring<Value>()
      if dropping { swap(&left, &state.values) }
      if state.end == nil || dropping { state.end = end }
      return (state.consumer.take(), left)
    }
    consumer?.resume(returning: ([], end))
    _ = consume left
  }

  func take(isolation actor: isolated (any Actor)?) async -> Batch {
    await withCheckedContinuation(isolation: actor) { consumer in
      let batch = state.withLock { state in
        let batch = state.takeBatch()
        if batch == nil { state.consumer = consumer }
        return batch
      }
      if let batch { consumer.resume(returning: batch) }
    }
  }
}
