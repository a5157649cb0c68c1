public import MQTT
public import Signals

extension Bus {
  /// The values of a filter with the topics they came on: see ``signal(_:as:qos:late:progress:onBadPayload:)``.
  ///
  /// ```swift
  /// bus.readings("home/+/temperature", as: Double.self).subscribe { reading in
  ///   print(reading.captures[0], reading.value)     // kitchen 21.5
  /// }
  /// ```
  public func readings<Value: Decodable & Sendable>(
    _ filter: String, as type: Value.Type, qos: QoS = .atLeastOnce, late: LatePolicy = .retained,
    progress: ProgressInclusion = .excluded, onBadPayload: BadPayloadPolicy = .report
  ) -> Signal<Reading<Value>> {
    ReadRequest(filter, qos: qos, late: late, progress: progress, onBadPayload: onBadPayload)
      .readings(of: self, PayloadCoding.message(as: Value.self))
  }

  /// The values of one field of JSON payloads with the topics they came on: see
  /// ``signal(_:at:as:qos:late:progress:onBadPayload:)``.
  public func readings<Value: Decodable & Sendable>(
    _ filter: String, at pointer: String, as type: Value.Type, qos: QoS = .atLeastOnce,
    late: LatePolicy = .retained,
    progress: ProgressInclusion = .excluded, onBadPayload: BadPayloadPolicy = .report
  ) -> Signal<Reading<Value>> {
    ReadRequest(filter, qos: qos, late: late, progress: progress, onBadPayload: onBadPayload)
      .readings(of: self, try PayloadCoding.message(as: Value.self, at: pointer))
  }

  /// What `decode` makes of the messages of a filter, with the topics they came on: see
  /// ``signal(_:qos:late:progress:onBadPayload:decoding:)``.
  public func readings<Value: Sendable>(
    _ filter: String, qos: QoS = .atLeastOnce, late: LatePolicy = .retained,
    progress: ProgressInclusion = .excluded,
    onBadPayload: BadPayloadPolicy = .report,
    decoding decode: @escaping @Sendable (Message) throws -> Value?
  ) -> Signal<Reading<Value>> {
    ReadRequest(filter, qos: qos, late: late, progress: progress, onBadPayload: onBadPayload)
      .readings(of: self, decode)
  }
}
