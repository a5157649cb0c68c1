/// What is being disposed and may not have stopped yet, for those who have to wait for it.
///
/// A member comes in under the lock under which it stops to be a live one, so that nobody finds it in neither place,
/// and goes when it says that it has stopped.
struct StoppingDisposables: Sendable {
  private var members: [ObjectIdentifier: any Disposable] = [:]

  var all: [any Disposable] { Array(members.values) }

  mutating func add(_ member: any Disposable) { members[ObjectIdentifier(member)] = member }

  mutating func remove(_ member: any Disposable) { members[ObjectIdentifier(member)] = nil }
}

/// Disposes all; `stopped` runs once, when the last of them has stopped.
func disposeAll(_ members: [any Disposable], whenStopped stopped: @escaping @Sendable () -> Void) {
  afterAll(members, stopped) { $0.dispose(whenStopped: $1) }
}

/// Runs `action` once, when the last of `members` is live.
func whenAllReady(_ members: [any Disposable], _ action: @escaping @Sendable () -> Void) {
  afterAll(members, action) { $0.whenReady($1) }
}

/// Tells all what to do when they are as far as they shall be; `action` runs once, after the last.
private func afterAll(
  _ members: [any Disposable], _ action: @escaping @Sendable () -> Void,
  _ tell: (any Disposable, @escaping @Sendable () -> Void) -> Void
) {
  guard !members.isEmpty else { return action() }
  // One more than there are: it can't be over before all have been told.
  let remaining = Lock(members.count + 1)
  @Sendable func finishOne() {
    let isLast = remaining.withLock { remaining in
      remaining -= 1
      return remaining == 0
    }
    if isLast { action() }
  }
  for member in members { tell(member, finishOne) }
  finishOne()
}
