import Brokers
import Dispatch
import Foundation
import Fuzzing
import MQTT
import SignalBox
import Signals

/// Threads that subscribe to filters of a bus and dispose, at random, as often as they are told to.
final class Churn: Sendable {
  /// One subscription of a thread.
  final class Listener: Sendable {
    let filter: TopicFilter
    let qos: QoS
    private let state = Guarded((subscription: Subscription?.none, isDisposed: false, isDeaf: false))

    init(_ filter: TopicFilter, _ qos: QoS) {
      self.filter = filter
      self.qos = qos
    }

    var isDisposed: Bool { state.withLock { $0.isDisposed } }
    /// Whether it was disposed by who delivered its messages: it must not hear any more.
    var isDeaf: Bool { state.withLock { $0.isDeaf } }

    func hold(_ subscription: Subscription) {
      let isLate = state.withLock { state in
        state.subscription = subscription
        return state.isDisposed
      }
      if isLate { subscription.dispose() }
    }

    func dispose(whereItDelivers: Bool = false) {
      let subscription = state.withLock { state in
        state.isDisposed = true
        return state.subscription
      }
      // Not yet known in a handler that runs while it subscribes.
      guard let subscription else { return }
      subscription.dispose()
      if whereItDelivers { state.withLock { $0.isDeaf = true } }
    }
  }

  private let bus: Bus
  private let filters: [TopicFilter]
  private let go = DispatchSemaphore(value: 0)
  private let done = Guarded(0)
  private let listening: [Guarded<[Listener]>]
  private let heard = Guarded((messages: 0, deaf: 0))

  init(_ bus: Bus, _ filters: [TopicFilter], threads: Int, operations: Int, rounds: Int, seed: UInt64) {
    self.bus = bus
    self.filters = filters
    listening = (0..<threads).map { _ in Guarded([]) }
    for thread in 0..<threads {
      Thread.detachNewThread { [self] in
        var dice = Dice(seed: seed &+ UInt64(thread))
        for _ in 0..<rounds {
          go.wait()
          for _ in 0..<operations { step(listening[thread], &dice) }
          done.withLock { $0 += 1 }
        }
      }
    }
  }

  /// Has each thread do its operations once more.
  func begin() { for _ in listening { go.signal() } }

  /// How many threads have done theirs, of all rounds.
  var finished: Int { done.withLock { $0 } }

  /// How many messages came, and how many of them to somebody who could not hear any more.
  var messages: (all: Int, toDeaf: Int) { heard.withLock { ($0.messages, $0.deaf) } }

  /// Who listens now, and to what.
  var listeners: [Listener] {
    listening.flatMap { $0.withLock { $0 } }.filter { !$0.isDisposed }
  }

  private func step(_ mine: Guarded<[Listener]>, _ dice: inout Dice) {
    let place = dice.roll(6)
    let old = mine.withLock { $0.count > place ? $0.remove(at: place) : nil }
    if let old { return old.dispose() }
    let listener = Listener(dice.pick(filters), dice.chance(50) ? .atLeastOnce : .atMostOnce)
    mine.withLock { $0.append(listener) }
    let whim = dice.roll(8)
    let subscription = bus.signal(listener.filter, qos: listener.qos).subscribe { [self] _ in
      hear(listener, whim, mine)
    }
    listener.hold(subscription)
  }

  private func hear(_ listener: Listener, _ whim: Int, _ mine: Guarded<[Listener]>) {
    let isDeaf = listener.isDeaf
    heard.withLock { heard in
      heard.messages += 1
      if isDeaf { heard.deaf += 1 }
    }
    switch whim {
    case 0:
      listener.dispose(whereItDelivers: true)
    case 1:
      // One that hears the same messages, in the same order.
      let twin = mine.withLock { $0.first { $0 !== listener && $0.filter == listener.filter } }
      twin?.dispose(whereItDelivers: true)
    case 2:
      let another = Listener(listener.filter, .atLeastOnce)
      another.hold(bus.signal(another.filter).subscribe { _ in another.dispose(whereItDelivers: true) })
      mine.withLock { $0.append(another) }
    default: break
    }
  }
}
