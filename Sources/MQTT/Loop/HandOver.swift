import Signals

/// A handle on its way from the thread that made it to the one that will own it. One that nobody takes is closed.
final class HandOver: Sendable {
  private let handle: Lock<Handle?>

  init(_ handle: sending Handle) {
    self.handle = Lock(handle)
  }

  func take() -> sending Handle? {
    handle.withLock { $0.take() }
  }
}
