/// The consumer's side of an async view: one subscription and what was taken of it.
///
/// Not sendable: it belongs to the task or the actor that iterates. Tasks of one actor may wait at the same time.
@usableFromInline
final class AsyncConsumer<Element: Sendable> {
  @usableFromInline let mailbox: AsyncMailbox<Element>
  @usableFromInline let subscription: Subscription
  /// All that waited is taken at once: only an empty batch costs a lock, and only an empty mailbox suspends.
  @exclusivity(unchecked) @usableFromInline var batch = Ring<Element>()

  @usableFromInline
  init(_ mailbox: AsyncMailbox<Element>, _ subscription: Subscription) {
    self.mailbox = mailbox
    self.subscription = subscription
  }

  deinit { subscription.dispose() }

  /// The next of the batch. Cancelling ends also a loop that has much left of it.
  @inlinable
  func nextOfBatch() -> Element? { Task.isCancelled ? nil : batch.popFirst() }

  /// The next, when `nextOfBatch` gave nothing.
  @inlinable
  func take(isolation: isolated (any Actor)?) async -> Taken<Element> {
    // A source that always has something would never let the handler below be installed.
    var taken = Task.isCancelled ? .cancelled : mailbox.take(into: &batch)
    if taken == nil {
      taken = await withTaskCancellationHandler {
        await withCheckedContinuation(isolation: isolation) { waiter in
          // The batch is not held while the task waits: another one may take from it.
          if let taken = mailbox.take(into: &batch, orWait: waiter) { waiter.resume(returning: taken) }
        }
      } onCancel: { [mailbox] in
        mailbox.cancel()
      }
    }
    guard let taken, case .cancelled = taken else { return taken ?? .cancelled }
    cancel()
    return .cancelled
  }

  /// In the task itself and not while it is being cancelled: disposing and letting go call what is the user's.
  @usableFromInline
  func cancel() {
    mailbox.cancel()
    subscription.dispose()
    mailbox.clear()
    batch = Ring()
  }
}
