import Signals

/// Counts from 1, from any thread.
final class CallCounter: Sendable {
  private let state = Lock(0)
  var count: Int { state.withLock { $0 } }

  @discardableResult
  func next() -> Int {
    state.withLock {
      $0 += 1
      return $0
    }
  }
}
