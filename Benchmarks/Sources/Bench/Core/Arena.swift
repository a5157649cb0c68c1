import Signals

/// A signal and a floor with as many observers each.
struct Arena {
  let subject = Subject<Int>()
  let signal: Signal<Int>
  let floor = Floor()
  let oursSink = Sink()
  let floorSink = Sink()
  let observers: Int

  /// Makes both, and observes what `signal` makes of the subject's signal.
  init(observers: Int, _ signal: (Signal<Int>) -> Signal<Int> = { $0 }) {
    self.observers = observers
    self.signal = signal(subject.signal)
    // One after the other: neither's observers lie between the other's in memory.
    for _ in 0..<observers { subscribe() }
    for _ in 0..<observers { subscribeToFloor() }
  }

  @discardableResult
  func subscribe() -> Subscription {
    signal.subscribe { [oursSink] in oursSink.add($0) }
  }

  @discardableResult
  func subscribeToFloor() -> Floor.Entry {
    floor.subscribe { [floorSink] in floorSink.add($0) }
  }

  func send(_ count: Int) {
    oursSink.send(count, to: observers) { subject.send($0) }
  }

  func sendToFloor(_ count: Int) {
    floorSink.send(count, to: observers) { floor.send($0) }
  }

  /// Throws unless all and only those who observe have got all that was sent.
  func check(_ name: String) throws {
    try oursSink.check(name)
    try floorSink.check("floor of \(name)")
  }
}
