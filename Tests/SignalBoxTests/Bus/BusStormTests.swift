import Brokers
import Dispatch
import Foundation
import Fuzzing
import MQTT
import Peers
import Signals
import SignalsTesting
import Testing

@testable import SignalBox

/// Everything at once: whatever threads do with a bus while its broker is killed and halted, all that waits hears of the
/// end, and nothing is left.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BusStormTests {
  #if TSAN
    private static let steps = 150
  #else
    private static let steps = 600
  #endif
  private static let threads = 6
  private static let filters = ["s/#", "s/+", "s/1", "s/2", "s/1/x", "#", "$share/g/s/#"]

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `nothing waits for ever and nothing is left`(version: ProtocolVersion) async throws {
    let seed = UInt64.random(in: 0..<(.max))
    var dice = Dice(seed: seed)
    try await LocalBroker.with(.init(storage: .temporary)) { broker in
      for round in 0..<3 {
        var bus: Bus? = try Bus(
          .toward(broker, version: version), linger: dice.pick([.zero, .milliseconds(3), .seconds(3_600)]),
          cacheLimits: dice.pick([QueueSize(count: 0, bytes: 0), QueueSize(count: 2, bytes: 1 << 20)]))
        let core = { [weak core = bus!.core] in core }
        let storm = Storm(bus!, Self.filters, seed: seed &+ UInt64(round) &* 1_000)
        storm.begin(threads: Self.threads, steps: Self.steps)
        while storm.finished < Self.threads {
          switch dice.roll(5) {
          case 0: await broker.kill()
          case 1: await broker.terminate()
          case 2:
            await broker.suspend()
            try await storm.goOn(by: 50)
            await broker.resume()
          default: try await storm.goOn(by: 200)
          }
          if await broker.pid == nil { try await broker.restart() }
        }
        switch dice.roll(3) {
        case 0: await broker.kill()
        case 1: await broker.suspend()
        default: break
        }
        let isClosed = dice.chance(60)
        if isClosed {
          await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 { group.addTask { [bus] in await bus!.close(deadline: .milliseconds(20)) } }
          }
          try await eventually("it did not complete, seed \(seed)") {
            storm.subscriptions.allSatisfy(\.isDisposed)
          }
        }
        storm.drop()
        bus = nil
        try await eventually("\(storm.tasks) tasks wait for ever, seed \(seed), closed \(isClosed)") {
          storm.tasks == 0
        }
        if await broker.pid == nil { try await broker.restart() }
        await broker.resume()
        try await eventually("the bus stays, seed \(seed), closed \(isClosed)") { core() == nil }
      }
    }
  }
}

/// Threads that do at random what can be done with a bus.
private final class Storm: Sendable {
  private struct State {
    var bus: Bus?
    var subscriptions: [Subscription] = []
    var tasks: [Int: Task<Void, Never>] = [:]
    var lastTask = 0
    var steps = 0
    var finished = 0
  }

  private let state: Guarded<State>
  private let filters: [String]
  private let seed: UInt64

  init(_ bus: Bus, _ filters: [String], seed: UInt64) {
    state = Guarded(State(bus: bus))
    self.filters = filters
    self.seed = seed
  }

  var finished: Int { state.withLock { $0.finished } }
  var tasks: Int { state.withLock { $0.tasks.count } }
  var subscriptions: [Subscription] { state.withLock { $0.subscriptions } }

  func begin(threads: Int, steps: Int) {
    for thread in 0..<threads {
      Thread.detachNewThread { [self] in
        var dice = Dice(seed: seed &+ UInt64(thread))
        for _ in 0..<steps {
          if let bus = state.withLock({ $0.bus }) { step(bus, &dice) }
          state.withLock { $0.steps += 1 }
        }
        state.withLock { $0.finished += 1 }
      }
    }
  }

  /// Waits for so many steps more, or the end.
  func goOn(by steps: Int) async throws {
    let (start, finished) = state.withLock { ($0.steps, $0.finished) }
    try await eventually { state.withLock { $0.steps >= start + steps || $0.finished > finished } }
  }

  /// Gives up all that there is.
  func drop() {
    let (bus, subscriptions, tasks) = state.withLock { state in
      defer { (state.bus, state.subscriptions) = (nil, []) }
      return (state.bus, state.subscriptions, Array(state.tasks.values))
    }
    for subscription in subscriptions { subscription.dispose() }
    for task in tasks { task.cancel() }
    _ = bus
  }

  private func inTask(_ body: @escaping @Sendable () async throws -> Void) -> Task<Void, Never> {
    state.withLock { state in
      state.lastTask += 1
      let number = state.lastTask
      let task = Task { [self] in
        try? await body()
        self.state.withLock { $0.tasks[number] = nil }
      }
      state.tasks[number] = task
      return task
    }
  }

  private func step(_ bus: Bus, _ dice: inout Dice) {
    let filter = dice.pick(filters)
    let late = dice.pick([LatePolicy.retained, .latest, .none])
    let qos = dice.pick([QoS.atMostOnce, .atLeastOnce])
    let signal = bus.signal(filter, qos: qos, late: late)
    switch dice.roll(12) {
    case 0, 1, 2:
      let subscription = signal.subscribe()
      state.withLock { $0.subscriptions.append(subscription) }
    case 3:
      let own = Guarded<Subscription?>(nil)
      let subscription = signal.subscribe { _ in own.withLock { $0.take() }?.dispose() }
      own.withLock { $0 = subscription }
      state.withLock { $0.subscriptions.append(subscription) }
    case 4, 5:
      let place = dice.roll(8)
      let old = state.withLock { state in
        place < state.subscriptions.count ? state.subscriptions.remove(at: place) : nil
      }
      old?.dispose()
    case 6:
      let subscription = state.withLock { $0.subscriptions.randomElement(using: &dice) }
      guard let subscription else { return }
      let task = inTask { try await subscription.ready }
      if dice.chance(50) { task.cancel() }
    case 7:
      let task = inTask { _ = try await signal.first(timeout: .milliseconds(20)) }
      if dice.chance(30) { task.cancel() }
    case 8:
      let task = inTask { for try await _ in signal.values() {} }
      if dice.chance(70) { task.cancel() }
    case 9:
      guard let topic = try? Topic("s/\(dice.roll(9))") else { return }
      bus.core.publish(Publish(topic, "x", retain: dice.chance(60)))
    case 10:
      _ = (bus.metrics.description, bus.snapshot().description)
    default:
      let task = inTask { _ = try await bus.request("s/ask", "x", timeout: .milliseconds(20)) }
      if dice.chance(30) { task.cancel() }
    }
  }
}
