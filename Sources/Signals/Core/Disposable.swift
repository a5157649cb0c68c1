/// Something that can be ended by hand: a subscription, a timer, a source.
public protocol Disposable: AnyObject, Sendable {
  /// Ends it. Idempotent, never blocks, safe in handlers and from any thread.
  func dispose()
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
    if isLate { member.dispose() }
  }

  /// Disposes the members, in the order in which they came.
  public func dispose() {
    let members = members.withLock { $0.take() }
    members?.forEach { $0.dispose() }
  }
}
