public import Synchronization

/// The thin shell around an `AsyncBuffer`: resumes whom it says, outside its lock.
@usableFromInline
final class AsyncMailbox<Element: Sendable>: Sendable {
  // Checked: an unchecked one is resumed by code of the client, in which the thread sanitizer sees a race that is
  // none; next to a suspension the check costs little.
  @usableFromInline typealias Waiter = CheckedContinuation<Taken<Element>, Never>

  @usableFromInline let buffer: Lock<AsyncBuffer<Element, Waiter>>
  @usableFromInline let drops: DropCounter

  @usableFromInline
  init(_ policy: BufferPolicy, _ drops: DropCounter, isProgress: @escaping @Sendable (Element) -> Bool) {
    buffer = Lock(AsyncBuffer(policy, isProgress: isProgress))
    self.drops = drops
  }

  var dropped: Int { buffer.withLock { $0.dropped } }

  // MARK: From the source

  @inlinable
  func send(_ value: Element) {
    let (waiter, displaced) = buffer.withLock { $0.send(value) }
    waiter?.resume(returning: .element(value))
    if displaced != nil { drops.countOne() }
  }

  @inlinable
  func send(progress: Element) {
    let waiter = buffer.withLock { $0.send(progress: progress) }
    waiter?.resume(returning: .element(progress))
  }

  @usableFromInline
  func end(_ end: End) {
    var waiters = buffer.withLock { $0.end(end) }
    while let waiter = waiters.popFirst() { waiter.resume(returning: .ended(end)) }
  }

  // MARK: From the consumer

  /// Takes the first, without a bound all there is; `nil`: nothing.
  @inlinable
  func take(into batch: inout Ring<Element>) -> Taken<Element>? {
    buffer.withLock { $0.take(into: &batch) }
  }

  /// The same; where there is nothing, the next to come is for `waiter`.
  @inlinable
  func take(into batch: inout Ring<Element>, orWait waiter: Waiter) -> Taken<Element>? {
    buffer.withLock { buffer in
      let taken = buffer.take(into: &batch)
      if taken == nil { buffer.wait(waiter) }
      return taken
    }
  }

  /// Runs while the task is being cancelled, under a lock of the runtime: it calls nothing that is the user's.
  @usableFromInline
  func cancel() {
    var waiters = buffer.withLock { $0.cancel() }
    while let waiter = waiters.popFirst() { waiter.resume(returning: .cancelled) }
  }

  func clear() {
    let left = buffer.withLock { $0.takeLeft() }
    _ = consume left
  }
}

/// How many values the iterations of one sequence have dropped.
@usableFromInline
final class DropCounter: Sendable {
  @usableFromInline let count = Atomic(0)

  @usableFromInline init() {}

  var total: Int { count.load(ordering: .relaxed) }

  @inlinable
  func countOne() { count.add(1, ordering: .relaxed) }
}
