import Signals
import SignalsTesting

/// What an operator of the catalogue is made with beside its source. Closures that are given to an operator capture it,
/// so that it shows when they are gone.
final class Kit: Sendable {
  let time: VirtualScheduler
  /// Still there and silent: it must not keep what it was combined with.
  let silent: Signal<Item>

  init(_ time: VirtualScheduler, silent: Subject<Item>) {
    self.time = time
    self.silent = silent.signal
  }

  /// The same value, through a closure of the user.
  func same<Value>(_ value: Value) -> Value { value }

  /// Ticks for as long as anybody listens.
  var clock: Signal<Int> { .interval(.seconds(1), on: time) }

  /// Sends one value, and never anything else.
  let one = Signal<Item> { observer in
    observer.send(Item(70))
    return nil
  }

  /// Has sent values to go with each of the source's, and never sends anything else.
  let plenty = Signal<Item> { observer in
    for number in 70..<90 { observer.send(Item(number)) }
    return nil
  }

  /// Likewise, of three times the weight of the source, nothing of which is done.
  let heavy = Signal<Item> { observer in
    observer.send(progress: ProgressUpdate(fraction: 0, weight: 3))
    for number in 70..<90 { observer.send(Item(number)) }
    return nil
  }
}
