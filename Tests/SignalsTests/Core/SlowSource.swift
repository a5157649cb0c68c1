import Signals

/// A source whose stop takes as long as the test says, and which notices when two runs overlap.
final class SlowSource: Sendable {
  enum Stop: CaseIterable, Sendable { case asynchronous, blocking }

  let history = History()
  let overlaps = Lock(0)
  private let running = Lock(0)
  private let observer = Lock<Observer<Int>?>(nil)
  let stop: Stop
  let release = AsyncGate()
  let blockingRelease = BlockingGate()

  init(_ stop: Stop) { self.stop = stop }

  var emit: Observer<Int>? { observer.withLock { $0 } }

  var signal: Signal<Int> {
    Signal { [self] observer in
      self.observer.withLock { $0 = observer }
      let isAlone = running.withLock { running in
        running += 1
        return running == 1
      }
      if !isAlone { overlaps.withLock { $0 += 1 } }
      history.add("start")
      switch stop {
      case .asynchronous:
        return AsyncDisposable { [self] in
          history.add("stopping")
          await release.wait()
          stopped()
        }
      case .blocking:
        return ActionDisposable { [self] in
          history.add("stopping")
          blockingRelease.wait()
          stopped()
        }
      }
    }
  }

  private func stopped() {
    running.withLock { $0 -= 1 }
    history.add("stopped")
  }

  func letStop() {
    release.open()
    for _ in 0..<10 { blockingRelease.open() }
  }
}
