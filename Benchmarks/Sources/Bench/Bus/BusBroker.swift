import Brokers

/// Plays the broker of a scene to client after client, and prints its port; at the end, how many SUBSCRIBEs and
/// UNSUBSCRIBEs came.
struct BusBroker {
  let scene: Scene

  init(_ scene: Scene) {
    self.scene = scene
  }

  func play() throws {
    let broker = try ScriptedBroker(patience: .seconds(600)) { [scene] link in
      try link.accept()
      if scene.work == .publish {
        try link.sink()
        return
      }
      var properties: [Packet.Property] = []
      try link.serve { packet in
        switch packet {
        case .subscribe(let subscribe) where subscribe.filters.contains { $0.name == Scene.live }:
          try link.send(.suback(subscribe.id, subscribe.filters.map { .granted($0.qos) }))
          properties = identified(subscribe)
          if scene.observers == 1 { try send(scene, properties, to: link) }
          return true
        case .publish(let publish) where publish.topic == Scene.start:
          try send(scene, properties, to: link)
          return true
        case .publish(let publish) where publish.topic == Scene.drop:
          try link.close()
          return true
        default:
          return false
        }
      }
    }
    Console.say("\(broker.port)")
    // Until whoever started it closes the pipe.
    while readLine() != nil {}
    let packets = broker.received.map(\.packet.kind)
    Console.say("\(packets.count { $0 == .subscribe }) \(packets.count { $0 == .unsubscribe })")
  }
}

private func identified(_ subscribe: Packet.Subscribe) -> [Packet.Property] {
  subscribe.properties.filter { if case .subscriptionIdentifier = $0 { true } else { false } }
}

private func send(_ scene: Scene, _ properties: [Packet.Property], to link: ScriptedBroker.Link) throws {
  switch scene.work {
  case .receive, .values, .connection:
    if scene.topics == 1 {
      try link.flood(
        topic: Traffic.topic, payload: Traffic.payload, qos: scene.qos, properties: properties,
        count: scene.count)
      return
    }
    let round = try (0..<scene.topics).map { index in
      try link.bytes([.publish("\(Traffic.topic)/\(index)", Traffic.payload, properties: properties)])
    }
    let block = Array(round.joined())
    for _ in 0..<scene.count / scene.topics { try link.send(bytes: block) }
  case .paced, .pacedValues:
    for _ in 0..<scene.count {
      try link.send(.publish(Traffic.topic, Traffic.payload, properties: properties))
      try link.pause(for: .microseconds(500))
    }
  case .publish, .subscribe, .cover, .reconnect, .churn, .memory:
    break
  }
}
