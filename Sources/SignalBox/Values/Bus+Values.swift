public import MQTT
public import Signals

extension Bus {
  /// The values of a filter: text, numbers, booleans and bytes as they are, everything else as JSON. An enumeration of
  /// words (`enum Mode: String, Codable`) is read from `eco` and from `"eco"`.
  ///
  /// What does not decode does not end the signal, unless `onBadPayload` says so: it goes to ``problems``. Empty
  /// payloads (a retained message that was cleared) are skipped, and so are topics that end in `_progress`, `_state` or
  /// `_cancel`, unless the filter itself does.
  ///
  /// ```swift
  /// bus.signal("home/+/temperature", as: Double.self)
  /// bus.signal("zigbee2mqtt/+", as: Climate.self)     // struct Climate: Decodable { let temperature: Double }
  /// ```
  public func signal<Value: Decodable & Sendable>(
    _ filter: String, as type: Value.Type, qos: QoS = .atLeastOnce, late: LatePolicy = .retained,
    progress: ProgressInclusion = .excluded, onBadPayload: BadPayloadPolicy = .report
  ) -> Signal<Value> {
    ReadRequest(filter, qos: qos, late: late, progress: progress, onBadPayload: onBadPayload)
      .values(of: self, PayloadCoding.message(as: Value.self))
  }

  /// The values of one field of JSON payloads, by its pointer (RFC 6901): `/temperature`, `/ANALOG/0`.
  ///
  /// A payload that does not have the field, or has null there, is skipped: many devices send only what has changed.
  /// With an optional type a null is a value, `nil`. What has another type is a problem; but text does for a number, a
  /// boolean or a type of your own where it would do as a payload of its own: `"100"`, `"ON"`. A pointer that is none
  /// fails the signal with a ``ReadingError``. All else is as for ``signal(_:as:qos:late:progress:onBadPayload:)``.
  ///
  /// ```swift
  /// bus.signal("zigbee2mqtt/+", at: "/temperature", as: Double.self)
  /// ```
  public func signal<Value: Decodable & Sendable>(
    _ filter: String, at pointer: String, as type: Value.Type, qos: QoS = .atLeastOnce,
    late: LatePolicy = .retained,
    progress: ProgressInclusion = .excluded, onBadPayload: BadPayloadPolicy = .report
  ) -> Signal<Value> {
    ReadRequest(filter, qos: qos, late: late, progress: progress, onBadPayload: onBadPayload)
      .values(of: self, try PayloadCoding.message(as: Value.self, at: pointer))
  }

  /// The values that `decode` makes of the messages of a filter.
  ///
  /// `nil` skips a message. What `decode` throws is the reason of the problem; a ``PayloadError`` says it best. It runs
  /// where handlers run, once for each message and observer. All else is as for
  /// ``signal(_:as:qos:late:progress:onBadPayload:)``.
  ///
  /// ```swift
  /// bus.signal("frigate/#") { $0.topic.hasSuffix("/snapshot") ? JPEG($0.payload) : nil }
  /// ```
  public func signal<Value: Sendable>(
    _ filter: String, qos: QoS = .atLeastOnce, late: LatePolicy = .retained,
    progress: ProgressInclusion = .excluded,
    onBadPayload: BadPayloadPolicy = .report,
    decoding decode: @escaping @Sendable (Message) throws -> Value?
  ) -> Signal<Value> {
    ReadRequest(filter, qos: qos, late: late, progress: progress, onBadPayload: onBadPayload)
      .values(of: self, decode)
  }
}
