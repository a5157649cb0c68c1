import Signals

/// Disposes a subscription that the handlers can't know yet.
final class Remote: Sendable {
  private let state = Lock<(subscription: Subscription?, isPressed: Bool)>((nil, false))

  func connect(_ subscription: Subscription) {
    let isPressed = state.withLock { state in
      state.subscription = subscription
      return state.isPressed
    }
    if isPressed { subscription.dispose() }
  }

  func dispose() {
    let subscription = state.withLock { state in
      state.isPressed = true
      return state.subscription
    }
    subscription?.dispose()
  }
}
