import Foundation

/// A value that one thread at a time touches.
///
/// Not the `Lock` of Signals, on which this module does not depend; and not `Mutex`, whose waiting the thread
/// sanitizer does not see.
package final class Guarded<State>: @unchecked Sendable {
  // Sound: the state is touched only with the lock held.
  private let lock = NSLock()
  private var state: State

  package init(_ state: sending State) { self.state = state }

  package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    try lock.withLock { try body(&state) }
  }
}
