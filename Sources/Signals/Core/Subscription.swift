public import Synchronization

/// One observer attached to one signal.
///
/// Letting go of it does not end it: it ends with the signal, or by `dispose()`. After `dispose()` on the thread
/// that delivers, the observer gets nothing more, not even the rest of the current event; from another thread a
/// handler that is already past the check may still run, which `drained()` waits for. At a terminal the subscription is
/// released before the handler runs.
public class Subscription: Disposable, @unchecked Sendable {
  // Sound: `upstream` is written before `linked` is set, and taken by the one who sets `ended` after that; who reads it
  // before that sets `watched` under the lock of the extras, under which it is then taken, too.
  static let linked: UInt8 = 1
  @usableFromInline static var ended: UInt8 { 2 }
  private static let released: UInt8 = 4
  private static let awaited: UInt8 = 8
  /// Whoever ended it has come back from disposing the source.
  private static let stopped: UInt8 = 16
  private static let stopAwaited: UInt8 = 32
  /// Somebody has wanted to know when it is ready.
  static let watched: UInt8 = 64
  static let completed: UInt8 = 128

  @usableFromInline final let flags = Atomic<UInt8>(0)
  @exclusivity(unchecked) final var upstream: (any Disposable)?
  /// What few subscriptions need.
  struct Extras {
    var waiters: [@Sendable () -> Void] = []
    var stopWaiters: [@Sendable () -> Void] = []
    /// The source, when it takes its time to stop.
    var stopping: (any Disposable)?
    var readiness = ReadyQuestions()
    /// What ended it, if that was a failure.
    var failure: (any Error)?
    /// What its source said when it ended.
    var whyGone: (any Error)?
  }

  final let extras = Lock<Box<Extras>?>(nil)

  @usableFromInline init() {}

  /// Whether it has ended, by `dispose()` or by a terminal.
  @inlinable public final var isDisposed: Bool { flags.load(ordering: .acquiring) & Self.ended != 0 }

  /// Ends the subscription, silently.
  public final func dispose() { end() }

  /// Ends the subscription; `stopped` runs when its sources have stopped, also where that takes time.
  public final func dispose(whenStopped stopped: @escaping @Sendable () -> Void) {
    end()
    if flags.load(ordering: .acquiring) & Self.stopped != 0 { return whenSourceStopped([stopped]) }
    // Somebody is at it, or still starts the source, and will stop it then.
    change { $0.stopWaiters.append(stopped) }
    let old = self.flags.bitwiseOr(Self.stopAwaited, ordering: .acquiringAndReleasing).oldValue
    if old & Self.stopped != 0 { whenSourceStopped(takeWaiters(\.stopWaiters)) }
  }

  /// Whether it has ended and its source takes its time to stop.
  public final var isStopping: Bool {
    let flags = flags.load(ordering: .acquiring)
    guard flags & Self.ended != 0 else { return false }
    if flags & Self.stopped == 0 { return true }
    return extras.withLock { $0?.value.stopping }?.isStopping ?? false
  }

  /// Waits until the subscription has ended and none of its handlers runs any more, on whatever thread; what they
  /// captured has then been released.
  ///
  /// It does not end the subscription: `dispose()` first, or wait for the terminal. Don't wait for it inside a handler.
  public final func drained() async {
    await withCheckedContinuation { continuation in whenDrained { continuation.resume() } }
  }

  private final func whenDrained(_ action: @escaping @Sendable () -> Void) {
    change { $0.waiters.append(action) }
    let old = flags.bitwiseOr(Self.awaited, ordering: .acquiringAndReleasing).oldValue
    if old & Self.released != 0 { runWaiters() }
  }

  private final func runWaiters() {
    for waiter in takeWaiters(\.waiters) { waiter() }
  }

  private final func takeWaiters(
    _ waiters: WritableKeyPath<Extras, [@Sendable () -> Void]>
  ) -> [@Sendable () -> Void] {
    change { extras in
      var taken: [@Sendable () -> Void] = []
      swap(&extras[keyPath: waiters], &taken)
      return taken
    }
  }

  final func change<Result>(_ body: (inout Extras) -> sending Result) -> sending Result {
    extras.withLock { extras in
      let box = extras ?? Box(Extras())
      extras = box
      return body(&box.value)
    }
  }

  /// `true` for the first who ends it.
  @usableFromInline @discardableResult
  final func end() -> Bool {
    let old = flags.bitwiseOr(Self.ended, ordering: .acquiringAndReleasing).oldValue
    guard old & Self.ended == 0 else { return false }
    if old & Self.linked != 0 { disposeUpstream() }
    didEnd()
    if old & Self.watched != 0 { answerEnd() }
    return true
  }

  /// For subclasses: it has ended, and its source was disposed, or will be when it is attached.
  @usableFromInline
  func didEnd() {}

  /// The source is disposed by one thread, once.
  private final func disposeUpstream() {
    let isWatched = flags.load(ordering: .relaxed) & Self.watched != 0
    if let upstream = isWatched ? takeWatchedUpstream() : upstream.take() {
      upstream.dispose()
      if let reason = upstream.whyGone { change { $0.whyGone = reason } }
      if upstream.isStopping { change { $0.stopping = upstream } }
    }
    let old = flags.bitwiseOr(Self.stopped, ordering: .acquiringAndReleasing).oldValue
    if old & Self.stopAwaited != 0 { whenSourceStopped(takeWaiters(\.stopWaiters)) }
  }

  private final func whenSourceStopped(_ actions: [@Sendable () -> Void]) {
    let stopping = extras.withLock { $0?.value.stopping }
    for stopped in actions {
      if let stopping { stopping.dispose(whenStopped: stopped) } else { stopped() }
    }
  }

  /// The start of the source has returned what ends it; that is disposed at once when the subscription has ended
  /// already. Has to be called, once: who waits for the stop waits for the start.
  @usableFromInline
  final func attach(_ disposable: (any Disposable)?) {
    upstream = disposable
    let old = flags.bitwiseOr(Self.linked, ordering: .acquiringAndReleasing).oldValue
    if old & Self.ended != 0 {
      disposeUpstream()
    } else if old & Self.watched != 0 {
      askForWaiting()
    }
  }

  /// The observer is gone, and its handlers with it: the source lets go of it when no delivery is under way.
  @usableFromInline
  final func observerReleased() {
    let old = flags.bitwiseOr(Self.released, ordering: .acquiringAndReleasing).oldValue
    if old & Self.awaited != 0 { runWaiters() }
  }
}

final class Box<Value> {
  var value: Value
  init(_ value: Value) { self.value = value }
}
