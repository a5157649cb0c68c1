extension ScriptedBroker.Link {
  /// Sends the same message again and again, as fast as the client takes it.
  ///
  /// Many packets, encoded before, are in each write. With QoS 1 no more are without their PUBACK than the client's
  /// Receive Maximum says, or 20, and the numbers go round from 1 to 65,535; the call returns when all are
  /// acknowledged. Pings are answered; other packets that come meanwhile wait for the next call that reads.
  ///
  /// - Parameters:
  ///   - topic: the topic of all messages.
  ///   - payload: the payload of all messages.
  ///   - qos: 0 or 1.
  ///   - properties: the properties of all messages (MQTT 5).
  ///   - count: how many messages.
  /// - Returns: what was sent: less than `count` when the client went before the end.
  @discardableResult
  public func flood(
    topic: String, payload: [UInt8], qos: UInt8 = 0, properties: [Packet.Property] = [], count: Int
  ) throws -> ScriptedBroker.Traffic {
    begin("the flood")
    precondition(qos < 2, "a flood has QoS 0 or 1")
    let packet = try bytes([.publish(topic, payload, qos: qos, id: 1, properties: properties)])
    let start = ContinuousClock.now
    var traffic = ScriptedBroker.Traffic()
    let most = max(1, (1 << 18) / packet.count)
    if qos == 0 {
      let block = Array(repeatElement(packet, count: min(most, count)).joined())
      while traffic.messages < count, try absorb(&traffic, countsAcks: false) {
        let messages = min(most, count - traffic.messages)
        let bytes = messages * packet.count
        guard try writeWhileReading(bytes == block.count ? block : Array(block[..<bytes])) else { break }
        traffic.messages += messages
      }
    } else {
      let window = Int(connect?.receiveMaximum ?? 20)
      var block = Numbered(packet, count: min(most, window, max(count, 1)), topicLength: topic.utf8.count)
      while try absorb(&traffic, countsAcks: true), traffic.acknowledged < count {
        let messages = min(
          block.count, count - traffic.messages, window - (traffic.messages - traffic.acknowledged))
        if messages > 0 {
          guard try writeWhileReading(block.next(messages)) else { break }
          traffic.messages += messages
        } else {
          switch try fill(until: deadline, room: 1 << 16) {
          case .bytes, .ended, .broken: break
          case .timedOut:
            throw failure(
              "\(traffic.messages - traffic.acknowledged) messages without PUBACK, nothing came within \(patience)"
            )
          case .stopped: throw ScriptedBrokerError.stopped
          }
        }
      }
    }
    traffic.bytes = traffic.messages * packet.count
    traffic.duration = .now - start
    return traffic
  }

  /// Goes over what has come. False when the client says goodbye or has gone.
  private func absorb(_ traffic: inout ScriptedBroker.Traffic, countsAcks: Bool) throws -> Bool {
    if ending == nil { _ = fillNow(from: try openSocket()) }
    var pings = 0
    var isOver = false
    var acknowledged = 0
    var others: [(header: UInt8, body: [UInt8])] = []
    try scan { header, body in
      switch header {
      case 0x40 where countsAcks: acknowledged += 1
      case 0xC0 where answersPings: pings += 1
      default:
        if header == 0xE0 { isOver = true }
        others.append((header, Array(body)))
      }
      return true
    }
    traffic.acknowledged += acknowledged
    for (header, body) in others { early.append(try decoded(header, body)) }
    for _ in 0..<pings { _ = try writeWhileReading([0xD0, 0]) }
    return ending == nil && !isOver
  }
}

/// A block of equal QoS 1 messages that get their numbers when they are sent.
private struct Numbered {
  let count: Int
  private var bytes: [UInt8]
  private let size: Int
  /// Where the number stands in a message.
  private let place: Int
  private var id: UInt16 = 0

  init(_ packet: [UInt8], count: Int, topicLength: Int) {
    self.count = count
    size = packet.count
    bytes = Array(repeatElement(packet, count: count).joined())
    let header = packet[1...].prefix { $0 >= 0x80 }.count + 2
    place = header + 2 + topicLength
  }

  mutating func next(_ messages: Int) -> [UInt8] {
    for index in 0..<messages {
      id = id == .max ? 1 : id + 1
      bytes[index * size + place] = UInt8(id >> 8)
      bytes[index * size + place + 1] = UInt8(id & 0xFF)
    }
    return messages == count ? bytes : Array(bytes[..<(messages * size)])
  }
}
