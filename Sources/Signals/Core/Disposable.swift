/// Something that can be ended by hand: a subscription, a timer, a source.
public protocol Disposable: AnyObject, Sendable {
  /// Ends it. Idempotent, never blocks, safe in handlers and from any thread.
  func dispose()

  /// Ends it, and runs `stopped` once it has stopped; at once where there is nothing to wait for, which is what happens
  /// unless a type says otherwise.
  ///
  /// A shared signal waits for it before it starts its source again.
  func dispose(whenStopped stopped: @escaping @Sendable () -> Void)

  /// Whether it has been disposed and takes its time to stop: `false` unless a type says otherwise.
  var isStopping: Bool { get }
}

extension Disposable {
  /// `false`.
  public var isStopping: Bool { false }

  /// Disposes, and then runs `stopped` at once.
  public func dispose(whenStopped stopped: @escaping @Sendable () -> Void) {
    dispose()
    stopped()
  }
}

/// A disposable that runs a closure, once.
public final class ActionDisposable: Disposable {
  private let action: Lock<(@Sendable () -> Void)?>

  /// Makes a disposable that runs `action` when it is first disposed.
  public init(_ action: @escaping @Sendable () -> Void) {
    self.action = Lock(action)
  }

  /// Runs the action, the first time.
  public func dispose() {
    let action = action.withLock { $0.take() }
    action?()
  }
}

/// Several disposables as one.
///
/// One that is added after the disposal is disposed at once.
public final class CompoundDisposable: Disposable {
  private let members: Lock<[any Disposable]?>
  /// Of those that were disposed, what takes its time.
  private let stopping = Lock<[any Disposable]>([])

  /// Makes a compound of `members`.
  public init(_ members: [any Disposable] = []) {
    self.members = Lock(members)
  }

  /// Whether it has been disposed.
  public var isDisposed: Bool { members.withLock { $0 == nil } }

  /// Adds a member, or disposes it when the compound is disposed already.
  public func add(_ member: (any Disposable)?) {
    guard let member else { return }
    let isLate = members.withLock { members in
      members?.append(member)
      return members == nil
    }
    guard isLate else { return }
    member.dispose()
    if member.isStopping { stopping.withLock { $0.append(member) } }
  }

  /// Disposes the members, in the order in which they came.
  public func dispose() {
    guard let members = members.withLock({ $0.take() }) else { return }
    let slow = disposeAll(members)
    if !slow.isEmpty { stopping.withLock { $0 += slow } }
  }

  /// Disposes the members; `stopped` runs when the last of them has stopped.
  public func dispose(whenStopped stopped: @escaping @Sendable () -> Void) {
    dispose()
    disposeAll(stopping.withLock { $0 }, whenStopped: stopped)
  }

  /// Whether it has been disposed and a member takes its time to stop.
  public var isStopping: Bool { stopping.withLock { $0 }.contains { $0.isStopping } }
}

/// Disposes all, in order; returns what takes its time to stop.
func disposeAll(_ members: [any Disposable]) -> [any Disposable] {
  for member in members { member.dispose() }
  return members.filter(\.isStopping)
}

/// Disposes all, in order; `stopped` runs once, when the last of them has stopped.
func disposeAll(_ members: [any Disposable], whenStopped stopped: @escaping @Sendable () -> Void) {
  // One more than there are: it can't be over before all have been told.
  let remaining = Lock(members.count + 1)
  @Sendable func finishOne() {
    let isLast = remaining.withLock { remaining in
      remaining -= 1
      return remaining == 0
    }
    if isLast { stopped() }
  }
  for member in members { member.dispose(whenStopped: finishOne) }
  finishOne()
}
