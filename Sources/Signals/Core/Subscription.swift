internal import Synchronization

/// One observer attached to one signal.
///
/// Letting go of it does not end it: it ends with the signal, or by `dispose()`. After `dispose()` on the thread
/// that delivers, the observer gets nothing more, not even the rest of the current event; from another thread a
/// handler that is already past the check may still run. At a terminal it is released before the handler runs.
public final class Subscription: Disposable {
  private let ended = Atomic(false)
  private let upstream = Lock<(any Disposable)?>(nil)

  @usableFromInline init() {}

  /// Whether it has ended, by `dispose()` or by a terminal.
  public var isDisposed: Bool { ended.load(ordering: .acquiring) }

  /// Ends the subscription, silently.
  public func dispose() { end() }

  /// `true` for the first who ends it.
  @usableFromInline @discardableResult
  func end() -> Bool {
    guard !ended.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    let upstream = upstream.withLock { $0.take() }
    upstream?.dispose()
    return true
  }

  @usableFromInline
  func attach(_ disposable: (any Disposable)?) {
    guard let disposable else { return }
    let isLate = upstream.withLock { upstream in
      if isDisposed { return true }
      upstream = disposable
      return false
    }
    if isLate { disposable.dispose() }
  }
}
