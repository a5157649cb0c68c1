extension Signal {
  /// The values as an async sequence, which ends with the signal and throws its error.
  ///
  /// Iterating subscribes; leaving the loop and cancelling the task dispose. The terminal is never dropped, and comes
  /// after the values that are kept. Each iteration is a subscription of its own. Progress is left out: see
  /// `events(buffer:)`. A source that sends inside the call that subscribes, without an end, never lets the loop begin:
  /// put `take` or `subscribe(on:)` before it.
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
  @usableFromInline let signal: Signal<Value>
  @usableFromInline let policy: BufferPolicy
  @usableFromInline let drops = DropCounter()

  init(signal: Signal<Value>, policy: BufferPolicy) {
    // Here and not when somebody iterates, which is far from the mistake, or never.
    policy.check()
    self.signal = signal
    self.policy = policy
  }

  /// How many values the policy has dropped so far, in all iterations of this sequence and its copies.
  public var dropped: Int { drops.total }

  /// Subscribes.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    let mailbox = AsyncMailbox<Value>(policy, drops) { _ in false }
    let subscription = signal.subscribe {
      mailbox.send($0)
    } failed: {
      mailbox.end(.failed($0))
    } completed: {
      mailbox.end(.completed)
    }
    return Iterator(AsyncConsumer(mailbox, subscription))
  }

  /// One subscription; dropping it disposes.
  ///
  /// Tasks of one actor may share it: each value goes to one of them, the terminal to all, and cancelling one of them
  /// while it waits ends the iterator for all.
  public final class Iterator: AsyncIteratorProtocol {
    @usableFromInline let consumer: AsyncConsumer<Value>

    @usableFromInline
    init(_ consumer: AsyncConsumer<Value>) { self.consumer = consumer }

    /// How many values the policy has dropped so far.
    public var dropped: Int { consumer.mailbox.dropped }

    /// The next value; `nil` at the completion or when the task is cancelled.
    @inlinable
    public func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Value? {
      if let value = consumer.nextKept() { return value }
      switch await consumer.take(isolation: actor) {
      case .element(let value): return value
      case .ended(.failed(let error)): throw error
      case .ended(.completed), .cancelled: return nil
      }
    }
  }
}
