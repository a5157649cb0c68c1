import Dispatch
import Signals

/// Blocks threads until it is opened, and then no more. Nothing waits for ever: a test that would hang fails.
final class Barrier: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let state = Lock((arrived: 0, isOpen: false, isLate: false))

  /// How many have come to wait.
  var arrived: Int { state.withLock { $0.arrived } }

  var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Whether somebody waited in vain.
  var isLate: Bool { state.withLock { $0.isLate } }

  func wait() {
    state.withLock { $0.arrived += 1 }
    guard semaphore.wait(timeout: .now() + .seconds(100)) == .success else {
      return state.withLock { $0.isLate = true }
    }
    semaphore.signal()
  }

  func open() {
    let isFirst = state.withLock { state in
      defer { state.isOpen = true }
      return !state.isOpen
    }
    if isFirst { semaphore.signal() }
  }
}
