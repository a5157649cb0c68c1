import Dispatch
import MQTT
import SignalBox
import Signals
import Synchronization

extension BusClient {
  /// Prints the microseconds of CPU until the broker has confirmed all, and of the way back.
  func subscribe() throws {
    let bus = try Bus(options, linger: .zero)
    wait(for: [bus.signal("before").subscribe()])
    var subscriptions: [Subscription] = []
    subscriptions.reserveCapacity(scene.count)
    let coming = CPUClock.seconds {
      for index in 0..<scene.count {
        subscriptions.append(bus.signal(scene.filter(index % scene.filters)).subscribe { _ in })
      }
      // Those who come last are answered last.
      wait(for: [bus.signal("between").subscribe()])
    }
    let going = CPUClock.seconds {
      for subscription in subscriptions { subscription.dispose() }
      wait(for: [bus.signal("after").subscribe()])
    }
    say(coming, going)
  }

  /// Prints the microseconds of CPU from a wider filter's coming until the others are no longer subscribed, and from its
  /// going until they are again.
  func cover() throws {
    let bus = try Bus(options, linger: .zero)
    let subscriptions = subscribeToOthers(bus)
    wait(for: subscriptions)
    var start = CPUClock.seconds
    let wide = bus.signal("site/#").subscribe { _ in }
    // What is unsubscribed is in the order before this.
    wait(for: [wide])
    wait(for: [bus.signal("between").subscribe()])
    let coming = CPUClock.seconds - start
    start = CPUClock.seconds
    wide.dispose()
    wait(for: subscriptions)
    wait(for: [bus.signal("after").subscribe()])
    say(coming, CPUClock.seconds - start)
    withExtendedLifetime(subscriptions) {}
  }

  /// Prints the microseconds of CPU from before the end of the link to the last SUBACK of the next.
  func reconnect() throws {
    let bus = try Bus(options)
    let subscriptions = subscribeToOthers(bus)
    wait(for: subscriptions)
    let isBack = DispatchSemaphore(value: 0)
    let hasBroken = Atomic(false)
    let states = bus.state.subscribe { state in
      switch state {
      case .waiting, .connecting:
        // It comes last, and is answered last.
        guard !hasBroken.exchange(true, ordering: .relaxed) else { return }
        bus.signal("after").subscribe().whenReady { isBack.signal() }
      default: break
      }
    }
    let start = CPUClock.seconds
    try send(to: Scene.drop, by: bus)
    isBack.wait()
    say(CPUClock.seconds - start)
    withExtendedLifetime((subscriptions, states)) {}
  }

  /// Prints the microseconds of CPU. Without other observers, the filter lingers meanwhile.
  func churn() throws {
    let bus = try Bus(options, linger: .seconds(3_600))
    let signal = bus.signal("churn")
    let first = signal.subscribe()
    wait(for: [first])
    let others = (0..<scene.observers).map { _ in signal.subscribe { _ in } }
    first.dispose()
    say(
      CPUClock.seconds {
        for _ in 0..<scene.count { signal.subscribe { _ in }.dispose() }
      })
    withExtendedLifetime(others) {}
  }

  /// Prints the bytes of the filters with an observer each, and of as many observers of one filter.
  func memory() throws {
    let bus = try Bus(options)
    let signal = bus.signal("memory")
    wait(for: [signal.subscribe()])
    var subscriptions: [Subscription] = []
    subscriptions.reserveCapacity(scene.filters * 2)
    let observers = Allocations.count {
      for _ in 0..<scene.filters { subscriptions.append(signal.subscribe { _ in }) }
    }
    let filters = Allocations.count {
      for index in 0..<scene.filters {
        subscriptions.append(bus.signal(scene.filter(index)).subscribe { _ in })
      }
      wait(for: [bus.signal("after").subscribe()])
    }
    Console.say("\(filters?.bytes ?? 0) \(observers?.bytes ?? 0)")
    withExtendedLifetime(subscriptions) {}
  }

  private func say(_ seconds: Double...) {
    Console.say(seconds.map { ($0 * 1e6).text(decimals: 0) }.joined(separator: " "))
  }
}
