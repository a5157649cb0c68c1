import Brokers
import MQTT
import Peers
import Signals
import SignalsTesting
import Testing

@testable import SignalBox

/// What is over is let go of, however it came to be over.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BusLeakTests {
  /// What a bus consists of, without keeping it.
  private struct Parts {
    weak var bus: Bus?
    weak var core: BusCore?
    weak var link: BusLink?
    weak var connection: Connection?
    var upstreams: [() -> Upstream?] = []

    init(_ bus: Bus) {
      self.bus = bus
      core = bus.core
      bus.core.state.withLock { state in
        link = state.link
        connection = state.link?.connection
        for upstream in state.table.allOwners { upstreams.append { [weak upstream] in upstream } }
      }
    }

    var left: [String] {
      var left: [String] = []
      if bus != nil { left.append("bus") }
      if core != nil { left.append("core") }
      if link != nil { left.append("link") }
      if connection != nil { left.append("connection") }
      if upstreams.contains(where: { $0() != nil }) { left.append("upstream") }
      return left
    }
  }

  private final class Canary: Sendable {}

  @Test(arguments: [Duration.zero, .seconds(3_600)])
  func `a bus that is dropped goes when its last subscriber does`(linger: Duration) async throws {
    try await LocalBroker.with { broker in
      for isAlive in [true, false] {
        var bus: Bus? = try Bus(.toward(broker), linger: linger)
        let canary = WeakBox(Canary())
        let subscription = bus!.signal("a/#").subscribe { [object = canary.take()] _ in _ = object }
        let typed = bus!.signal("a/b", as: Int.self).shared().subscribe()
        let subject = try bus!.subject(to: "a/b", as: Int.self)
        try await subscription.ready
        try await typed.ready
        subject.send(1)
        let parts = Parts(bus!)
        bus = nil
        #expect(parts.core != nil, "a subscriber keeps it")
        if !isAlive { await broker.kill() }
        subscription.dispose()
        typed.dispose()
        subject.complete()
        try await eventually("left: \(parts.left)") { parts.left.isEmpty && canary.value == nil }
      }
    }
  }

  @Test func `a bus that is dropped in a handler goes`() async throws {
    try await withBroker { broker, publisher in
      for round in 0..<30 {
        let bus = Guarded<Bus?>(try Bus(.toward(broker)))
        let subscription = Guarded<Subscription?>(nil)
        let parts = Parts(bus.withLock { $0! })
        let own = bus.withLock { $0! }.signal("drop/\(round)").subscribe { _ in
          let subscription = subscription.withLock { $0.take() }
          subscription?.dispose()
          let last = bus.withLock { $0.take() }
          _ = last
        }
        subscription.withLock { $0 = own }
        try await own.ready
        try await publisher.publish(Publish(Topic("drop/\(round)"), "x"))
        try await eventually("round \(round), left: \(parts.left)") { parts.left.isEmpty }
      }
    }
  }

  @Test func `who waits for a broker that is away and gives up leaves nothing behind`() async throws {
    try await withBroker(linger: .seconds(3_600)) { broker, bus in
      let stable = bus.signal("a").subscribe()
      try await stable.ready
      await broker.kill()
      try await eventually { bus.core.state.withLock { $0.session == nil } }
      for _ in 0..<200 {
        let subscription = bus.signal("a").subscribe()
        let task = Task { try await subscription.ready }
        await Task.yield()
        subscription.dispose()
        _ = await task.result
      }
      #expect(bus.core.state.withLock { $0.waiting.count } == 0)
    }
  }

  @Test func `requests that time out while the broker is away leave nothing behind`() async throws {
    try await withBroker(linger: .seconds(3_600)) { broker, bus in
      try await bus.connect()
      await broker.kill()
      try await eventually { bus.core.state.withLock { $0.session == nil } }
      for _ in 0..<100 {
        await #expect(throws: RequestError.self) {
          try await bus.request("a", "x", timeout: .milliseconds(1))
        }
      }
      #expect(bus.core.state.withLock { $0.waiting.count } == 0)
    }
  }

  @Test func `what is disposed after the close, or never, is gone with the bus`() async throws {
    try await LocalBroker.with { broker in
      var bus: Bus? = try Bus(.toward(broker), linger: .seconds(3_600))
      let kept = Recorder(bus!.signal("a"))
      let late = bus!.signal("b").subscribe()
      try await kept.subscription.ready
      let parts = Parts(bus!)
      await bus!.close()
      late.dispose()
      let after = Recorder(bus!.signal("a"))
      bus = nil
      #expect(kept.log == ["completed"] && after.log.count == 1)
      try await eventually("left: \(parts.left)") { parts.left.isEmpty }
    }
  }
}

/// An object that somebody else keeps.
private final class WeakBox<Object: AnyObject & Sendable>: Sendable {
  private struct State {
    var strong: Object?
    weak var object: Object?
  }

  private let state: Guarded<State>

  init(_ object: Object) { state = Guarded(State(strong: object, object: object)) }

  var value: Object? { state.withLock { $0.object } }

  /// From now on whoever has this keeps it.
  func take() -> Object? { state.withLock { $0.strong.take() } }
}
