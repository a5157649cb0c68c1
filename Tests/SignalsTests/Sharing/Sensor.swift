import Signals

/// A source that counts its starts and stops and is sent into by hand.
final class Sensor: Sendable {
  let log = Lock<[String]>([])
  let observer = Lock<Observer<Int>?>(nil)

  var signal: Signal<Int> {
    Signal { [self] observer in
      log.withLock { $0.append("start") }
      self.observer.withLock { $0 = observer }
      return ActionDisposable { [self] in log.withLock { $0.append("stop") } }
    }
  }

  var emit: Observer<Int>? { observer.withLock { $0 } }
  var history: [String] { log.withLock { $0 } }
}
