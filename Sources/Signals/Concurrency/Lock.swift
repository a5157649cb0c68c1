public import Synchronization

/// A value that only one thread at a time can touch: the one lock of this package.
///
/// Never call user code (handlers, start and stop closures, deinits of captured objects, continuation
/// resumes) while holding it: decide under the lock, act outside.
///
/// In sanitizer builds (`-D TSAN`, set by `scripts/test`) it also does an acquiring load after locking and a
/// releasing store before unlocking. The thread sanitizer does not see the slow path of `Mutex`, and without
/// those would report races that are none; they add no ordering that the mutex does not already give.
@usableFromInline
package struct Lock<State>: ~Copyable {
  @usableFromInline let mutex: Mutex<State>
  #if TSAN
    @usableFromInline let visible = Atomic<Int>(0)
  #endif

  /// Makes an unlocked lock around `state`.
  @inlinable
  package init(_ state: consuming sending State) {
    mutex = Mutex(state)
  }

  /// Runs `body` with exclusive access to the state, and returns what it returns.
  @inlinable
  package borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    #if TSAN
      try mutex.withLock { state throws(Failure) in
        _ = visible.load(ordering: .acquiring)
        defer { visible.store(0, ordering: .releasing) }
        return try body(&state)
      }
    #else
      try mutex.withLock(body)
    #endif
  }
}

extension Lock: Sendable {}
