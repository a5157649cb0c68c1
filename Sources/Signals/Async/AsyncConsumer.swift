/// The consumer's side of an async view: one subscription and what was taken of it.
///
/// Not sendable: it belongs to the task or the actor that iterates. Tasks of one actor may wait at the same time.
@usableFromInline
final class AsyncConsumer<Element: Sendable> {
  @usableFromInline let mailbox: AsyncMailbox<Element>
  @usableFromInline let subscription: Subscription
  /// Without a bound all that waited is taken at once, and only an empty batch costs a lock; with one it stays empty.
  /// Only an empty mailbox suspends.
  @exclusivity(unchecked) @usableFromInline var batch = Ring<Element>()

  @usableFromInline
  init(_ mailbox: AsyncMailbox<Element>, _ subscription: Subscription) {
    self.mailbox = mailbox
    self.subscription = subscription
  }

  deinit { subscription.dispose() }

  /// The next, if it is there already. Cancelling ends also a loop that has much left to take: a source that always has
  /// something would never let the handler below be installed.
  @inlinable
  func nextKept() -> Element? {
    if Task.isCancelled { return nil }
    if let next = batch.popFirst() { return next }
    return if case .element(let next) = mailbox.take(into: &batch) { next } else { nil }
  }

  /// The next, when `nextKept` gave nothing.
  @inlinable
  func take(isolation: isolated (any Actor)?) async -> Taken<Element> {
    let taken = await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: isolation) { waiter in
        // The batch is not held while the task waits: another one may take from it.
        if let taken = mailbox.take(into: &batch, orWait: waiter) { waiter.resume(returning: taken) }
      }
    } onCancel: { [mailbox] in
      mailbox.cancel()
    }
    if case .cancelled = taken { cancel() }
    return taken
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
