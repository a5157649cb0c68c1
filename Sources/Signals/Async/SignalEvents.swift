extension Signal {
  /// All events as an async sequence: values, progress, and last the terminal, as an element that is not thrown.
  ///
  /// Iterating subscribes; leaving the loop and cancelling the task dispose, silently. Each iteration is a
  /// subscription of its own. While progress waits to be taken, a newer one that comes next takes its place; it
  /// doesn't count against the bound of the policy. The last progress comes before the terminal, and the terminal
  /// is never dropped.
  ///
  /// ```swift
  /// for await event in signal.events() {
  ///   switch event { … }
  /// }
  /// ```
  public func events(buffer: BufferPolicy = .unbounded) -> SignalEvents<Value> {
    SignalEvents(signal: self, policy: buffer)
  }
}

/// The events of a signal as an async sequence: see `Signal.events(buffer:)`.
public struct SignalEvents<Value: Sendable>: AsyncSequence, Sendable {
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
    let mailbox = AsyncMailbox<Event<Value>>(policy, drops) {
      if case .progress = $0 { true } else { false }
    }
    let subscription = signal.subscribe {
      mailbox.send(.next($0))
    } progress: {
      mailbox.send(progress: .progress($0))
    } failed: {
      mailbox.end(.failed($0))
    } completed: {
      mailbox.end(.completed)
    }
    return Iterator(AsyncConsumer(mailbox, subscription))
  }

  /// One subscription; dropping it disposes.
  ///
  /// Tasks of one actor may share it: each event goes to one of them, the terminal to all that wait for it, and
  /// cancelling one of them while it waits ends the iterator for all.
  public final class Iterator: AsyncIteratorProtocol {
    @usableFromInline let consumer: AsyncConsumer<Event<Value>>
    @exclusivity(unchecked) @usableFromInline var hasEnded = false

    @usableFromInline
    init(_ consumer: AsyncConsumer<Event<Value>>) { self.consumer = consumer }

    /// How many values the policy has dropped so far.
    public var dropped: Int { consumer.mailbox.dropped }

    /// The next event; `nil` after the terminal or when the task is cancelled.
    @inlinable
    public func next(isolation actor: isolated (any Actor)? = #isolation) async -> Event<Value>? {
      if hasEnded { return nil }
      if let event = consumer.nextKept() { return event }
      switch await consumer.take(isolation: actor) {
      case .element(let event): return event
      case .cancelled: return nil
      case .ended(let end):
        hasEnded = true
        switch end {
        case .failed(let error): return .failed(error)
        case .completed: return .completed
        }
      }
    }
  }
}
