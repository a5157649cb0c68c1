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
    return signal(filter, qos: qos).compactMap { [core] message in
      guard !message.payload.isEmpty, spellsReserved || !JobTopic.isReserved(message.topic) else {
        return nil
      }
      do {
        return try decode(message.payload)
      } catch {
        core.report(message, "\(error)")
        return nil
      }
    }
  }
}

extension BusCore {
  func report(_ message: Message, _ reason: String) {
    problems.send(
      Problem(topic: message.topic, reason: reason, payloadStart: Array(message.payload.prefix(64))))
  }
}
