/// Several disposables as one.
///
/// One that is added after the disposal is disposed at once. Members that are finished are let go of from time to time,
/// so that a compound that lives long does not grow with those that came and went.
public final class CompoundDisposable: Disposable {
  private struct State {
    /// `nil`: disposed.
    var members: [any Disposable]?
    /// How many members make it worth a look which are finished.
    var crowd = 16
    /// Of those that are being disposed or were, what may not have stopped yet.
    var stopping = StoppingDisposables()
    /// What a member said when it was disposed.
    var whyGone: (any Error)?
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
    let (isLate, crowd) = state.withLock { state -> (Bool, [any Disposable]) in
      state.members?.append(member)
      if state.members == nil { state.stopping.add(member) }
      let members = state.members ?? []
      return (state.members == nil, members.count < state.crowd ? [] : members)
    }
    if isLate { stop(member) }
    if !crowd.isEmpty { letFinishedGo(of: crowd) }
  }

  /// Asks and releases outside of the lock: members may be the user's.
  private func letFinishedGo(of members: [any Disposable]) {
    let finished = Set(members.filter { $0.isDisposed && !$0.isStopping }.map(ObjectIdentifier.init))
    state.withLock { state in
      state.members?.removeAll { finished.contains(ObjectIdentifier($0)) }
      state.crowd = max(16, 2 * (state.members?.count ?? 0))
    }
    withExtendedLifetime(members) {}
  }

  /// Disposes the members, in the order in which they came.
  public func dispose() {
    let members = state.withLock { state in
      let members = state.members.take() ?? []
      for member in members { state.stopping.add(member) }
      return members
    }
    for member in members { stop(member) }
    if let reason = members.lazy.compactMap(\.whyGone).first { state.withLock { $0.whyGone = reason } }
  }

  /// Disposes the members; `stopped` runs when the last of them has stopped.
  public func dispose(whenStopped stopped: @escaping @Sendable () -> Void) {
    dispose()
    disposeAll(state.withLock { $0.stopping.all }, whenStopped: stopped)
  }

  /// Runs `action` when all members that it has now are live.
  public func whenReady(_ action: @escaping @Sendable () -> Void) {
    guard let members = state.withLock({ $0.members }) else { return }
    whenAllReady(members, action)
  }

  /// What a member says or, after the disposal, has said.
  public var whyGone: (any Error)? {
    let (members, whyGone) = state.withLock { ($0.members ?? [], $0.whyGone) }
    return whyGone ?? members.lazy.compactMap(\.whyGone).first
  }

  /// Whether it has been disposed and a member takes its time to stop.
  public var isStopping: Bool { state.withLock { $0.stopping.all }.contains { $0.isStopping } }

  private func stop(_ member: any Disposable) {
    member.dispose { [self] in state.withLock { $0.stopping.remove(member) } }
  }
}
