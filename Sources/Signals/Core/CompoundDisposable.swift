/// Several disposables as one.
///
/// One that is added after the disposal is disposed at once.
public final class CompoundDisposable: Disposable {
  private struct State {
    /// `nil`: disposed.
    var members: [any Disposable]?
    /// Of those that are being disposed or were, what may not have stopped yet.
    var stopping = StoppingDisposables()
  }

  private let state: Lock<State>

  /// Makes a compound of `members`.
  public init(_ members: [any Disposable] = []) {
    state = Lock(State(members: members))
  }

  /// Whether it has been disposed.
  public var isDisposed: Bool { state.withLock { $0.members == nil } }

  /// Adds a member, or disposes it when the compound is disposed already.
  public func add(_ member: (any Disposable)?) {
    guard let member else { return }
    let isLate = state.withLock { state in
      state.members?.append(member)
      if state.members == nil { state.stopping.add(member) }
      return state.members == nil
    }
    if isLate { stop(member) }
  }

  /// Disposes the members, in the order in which they came.
  public func dispose() {
    let members = state.withLock { state in
      let members = state.members.take() ?? []
      for member in members { state.stopping.add(member) }
      return members
    }
    for member in members { stop(member) }
  }

  /// Disposes the members; `stopped` runs when the last of them has stopped.
  public func dispose(whenStopped stopped: @escaping @Sendable () -> Void) {
    dispose()
    disposeAll(state.withLock { $0.stopping.all }, whenStopped: stopped)
  }

  /// Whether it has been disposed and a member takes its time to stop.
  public var isStopping: Bool { state.withLock { $0.stopping.all }.contains { $0.isStopping } }

  private func stop(_ member: any Disposable) {
    member.dispose { [self] in state.withLock { $0.stopping.remove(member) } }
  }
}
