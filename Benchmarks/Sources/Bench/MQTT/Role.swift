import Brokers
import Foundation
import MQTT
import Signals

/// One side of a measurement in a process of its own, so that its CPU time is its own.
enum Role {
  /// Serves client after client with the traffic, and prints its port.
  case broker(Traffic)
  /// Takes or makes the traffic, prints the microseconds of CPU and those on the clock, and ends.
  case client(Traffic, port: Int)
  /// The same for a bus.
  case scene(Scene, port: Int?)

  init?(_ arguments: some Collection<String>) throws {
    let words = Array(arguments)
    switch words.first {
    case "--broker":
      guard let traffic = Traffic(words.dropFirst()) else { return nil }
      self = .broker(traffic)
    case "--client":
      guard words.count == 5, let port = Int(words[1]), let traffic = Traffic(words[2...]) else { return nil }
      self = .client(traffic, port: port)
    case "--bus-broker":
      guard let scene = Scene(words.dropFirst()) else { return nil }
      self = .scene(scene, port: nil)
    case "--bus-client":
      guard words.count > 2, let port = Int(words[1]), let scene = Scene(words[2...]) else { return nil }
      self = .scene(scene, port: port)
    default:
      return nil
    }
  }

  func play() throws {
    switch self {
    case .broker(let traffic): try serve(traffic)
    case .client(let traffic, let port): try run(traffic, port)
    case .scene(let scene, let port?): try BusClient(scene, port).play()
    case .scene(let scene, nil): try BusBroker(scene).play()
    }
  }

  private func serve(_ traffic: Traffic) throws {
    let broker = try ScriptedBroker(patience: .seconds(600)) { link in
      try link.accept()
      if traffic.kind == .publish {
        try link.sink()
        return
      }
      let request = try link.expectSubscribe()
      try link.send(.suback(request.id, [.granted(traffic.qos)]))
      if traffic.kind == .receive {
        try link.flood(topic: Traffic.topic, payload: Traffic.payload, qos: traffic.qos, count: traffic.count)
      } else {
        for _ in 0..<traffic.count {
          try link.send(.publish(Traffic.topic, Traffic.payload))
          try link.pause(for: .microseconds(500))
        }
      }
      try link.silence(reading: true)
    }
    Console.say("\(broker.port)")
    // Until whoever started it closes the pipe.
    while readLine() != nil {}
    withExtendedLifetime(broker) {}
  }

  private func run(_ traffic: Traffic, _ port: Int) throws {
    let meter = Meter(traffic.count)
    let connection = try Connection(ConnectionOptions(host: "127.0.0.1", port: port))
    connection.connect(delegate: meter)
    meter.waitForConnection()
    let qos = QoS(rawValue: Int(traffic.qos)) ?? .atMostOnce
    let topic = try Topic(Traffic.topic)
    if traffic.kind == .publish {
      meter.start()
      let message = Publish(topic, Traffic.payload, qos: qos)
      for sent in 0..<traffic.count {
        meter.waitForRoom(sent)
        connection.publish(message) { _ in meter.count() }
      }
    } else {
      let filter = try TopicFilter("bench/#")
      connection.subscribe([Subscribe(filter, qos: qos)]) { _ in }
    }
    meter.waitForEnd()
  }
}
