/// What one task waits for; the first who settles it decides.
package final class Outcome<Value: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Value, any Error>)
    case settled(Result<Value, any Error>)
  }

  private let state = Lock(State.open)

  package init() {}

  package var isSettled: Bool {
    state.withLock { if case .settled = $0 { true } else { false } }
  }

  package func settle(_ result: Result<Value, any Error>) {
    let waiter = state.withLock { state -> CheckedContinuation<Value, any Error>? in
      switch state {
      case .open:
        state = .settled(result)
        return nil
      case .awaited(let waiter):
        state = .settled(result)
        return waiter
      case .settled:
        return nil
      }
    }
    waiter?.resume(with: result)
  }

  package func wait(isolation: isolated (any Actor)?) async throws -> Value {
    try await withCheckedThrowingContinuation(isolation: isolation) { waiter in
      let result = state.withLock { state -> Result<Value, any Error>? in
        if case .settled(let result) = state { return result }
        state = .awaited(waiter)
        return nil
      }
      if let result { waiter.resume(with: result) }
    }
  }
}
