import MQTT
import Signals

/// One observer of an upstream: takes it out again, once, and says when it is served.
final class Seat: Disposable {
  private struct State {
    var entry: (any Disposable)?
    var isLeft = false
  }

  let upstream: Upstream
  let qos: QoS
  private let core: BusCore
  private let observer: Observer<Message>
  private let state = Lock(State())

  init(_ upstream: Upstream, _ qos: QoS, _ core: BusCore, _ observer: Observer<Message>) {
    self.upstream = upstream
    self.qos = qos
    self.core = core
    self.observer = observer
  }

  /// Attaches the observer; it gets what newcomers get.
  func attach() {
    let entry = upstream.subject.signal.attach(observer)
    let isLeft = state.withLock { state in
      if !state.isLeft { state.entry = entry }
      return state.isLeft
    }
    if isLeft { entry?.dispose() }
  }

  func dispose() { _ = leave() }

  func whenReady(_ action: @escaping @Sendable () -> Void) { core.whenReady(self, action) }

  /// Tells this observer alone that it can't have what it wants.
  func fail(_ error: any Error) {
    if leave() { observer.fail(error) }
  }

  var isDisposed: Bool { state.withLock { $0.isLeft } }

  /// A signal of a bus completes when the bus is closed.
  var whyGone: (any Error)? { core.isClosed ? BusError.closed : nil }

  private func leave() -> Bool {
    let (isFirst, entry) = state.withLock { state in
      defer { state.isLeft = true }
      return (!state.isLeft, state.entry.take())
    }
    guard isFirst else { return false }
    entry?.dispose()
    core.leave(self)
    return true
  }
}
