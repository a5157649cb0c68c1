public import MQTT
public import Signals

extension Bus {
  /// The values of a filter: text, numbers, booleans and bytes as they are, everything else as JSON.
  ///
  /// What does not decode never ends the signal: it goes to ``problems``. Empty payloads (a retained message that was
  /// cleared) are skipped, and so are topics that end in `_progress`, `_state` or `_cancel`, unless the filter itself
  /// does.
  ///
  /// ```swift
  /// bus.signal("home/+/temperature", as: Double.self)
  /// bus.signal("zigbee2mqtt/+", as: Climate.self)     // struct Climate: Decodable { let temperature: Double }
  /// ```
  public func signal<Value: Decodable & Sendable>(
    _ filter: String, as type: Value.Type, qos: QoS = .atLeastOnce
  ) -> Signal<Value> {
    let decode = PayloadCoding.decoder(for: Value.self)
    let spellsReserved = JobTopic.isReserved(filter)
    return core.decoding(signal(filter, qos: qos)) { message in
      guard !message.payload.isEmpty, spellsReserved || !JobTopic.isReserved(message.topic) else {
        return nil
      }
      return try decode(message.payload)
    }
  }
}

extension BusCore {
  /// What `decode` makes of the messages; where it is `nil`, nothing, and what it throws goes to the problems.
  func decoding<Value: Sendable>(
    _ messages: Signal<Message>, _ decode: @escaping @Sendable (Message) throws -> Value?
  ) -> Signal<Value> {
    messages.compactMap { [self] message in
      do {
        return try decode(message)
      } catch {
        problems.send(Problem(message.topic, "\(error)", message.payload))
        return nil
      }
    }
  }
}
