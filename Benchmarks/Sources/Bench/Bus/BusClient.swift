import Dispatch
import Foundation
import MQTT
import SignalBox
import Signals

/// Plays the client of a scene, prints what it cost, and ends.
struct BusClient {
  let scene: Scene
  let options: ConnectionOptions

  init(_ scene: Scene, _ port: Int) {
    self.scene = scene
    var options = ConnectionOptions(host: "127.0.0.1", port: port)
    options.version = scene.version
    options.backoff = Backoff(initial: .milliseconds(1))
    self.options = options
  }

  func play() throws {
    switch scene.work {
    case .receive, .values, .paced, .pacedValues: try receive()
    case .connection: try receiveAlone()
    case .publish: try publish()
    case .subscribe: try subscribe()
    case .cover: try cover()
    case .reconnect: try reconnect()
    case .churn: try churn()
    case .memory: try memory()
    }
  }

  /// Waits until the broker has what each subscription wants.
  func wait(for subscriptions: some Collection<Subscription>) {
    let answered = DispatchSemaphore(value: 0)
    for subscription in subscriptions { subscription.whenReady { answered.signal() } }
    for _ in subscriptions { answered.wait() }
  }

  /// Observes the other filters.
  func subscribeToOthers(_ bus: Bus) -> [Subscription] {
    (0..<scene.filters).map { bus.signal(scene.filter($0)).subscribe { _ in } }
  }

  /// Publishes nothing but the topic.
  func send(to topic: String, by bus: Bus) throws {
    let message = Publish(try Topic(topic), [], qos: .atMostOnce)
    Task { try await bus.publish(message) }
  }

  // MARK: Messages

  private func receive() throws {
    let bus = try Bus(options)
    let others = subscribeToOthers(bus)
    wait(for: others)
    let meter = Meter(scene.count, countsAllocations: scene.countsAllocations)
    let signal = bus.signal(Scene.live, qos: QoS(rawValue: Int(scene.qos)) ?? .atMostOnce)
    if scene.work == .values || scene.work == .pacedValues {
      Task {
        for try await _ in signal.values() { meter.receive() }
      }
    } else {
      let sink = Sink()
      for _ in 1..<scene.observers { signal.subscribe { _ in sink.add(1) } }
      let last = signal.subscribe { _ in meter.receive() }
      if scene.observers > 1 {
        wait(for: [last])
        try send(to: Scene.start, by: bus)
      }
    }
    meter.waitForEnd()
    withExtendedLifetime((bus, others)) {}
  }

  private func receiveAlone() throws {
    let meter = Meter(scene.count, countsAllocations: scene.countsAllocations)
    let connection = try Connection(options)
    connection.connect(delegate: meter)
    meter.waitForConnection()
    let qos = QoS(rawValue: Int(scene.qos)) ?? .atMostOnce
    connection.subscribe([Subscribe(try TopicFilter(Scene.live), qos: qos, identifier: 1)]) { _ in }
    meter.waitForEnd()
    withExtendedLifetime(connection) {}
  }

  private func publish() throws {
    let bus = try Bus(options)
    let subject = try bus.subject(
      to: Traffic.topic, as: [UInt8].self, qos: QoS(rawValue: Int(scene.qos)) ?? .atMostOnce)
    let meter = Meter(.max)
    // Queued before there is a connection, QoS 0 would be refused.
    let connected = DispatchSemaphore(value: 0)
    Task {
      try await bus.connect()
      connected.signal()
    }
    connected.wait()
    meter.start()
    for sent in 0..<scene.count {
      if sent.isMultiple(of: 10_000) { waitForRoom(bus) }
      subject.send(Traffic.payload)
    }
    Task {
      await bus.close(deadline: .seconds(600))
      meter.finish()
    }
    meter.waitForEnd()
  }

  private func waitForRoom(_ bus: Bus) {
    while bus.metrics.connection.outbox.count > 50_000 { usleep(5_000) }
  }
}
