/// Packets in the words of a script.
extension Packet {
  /// A CONNACK: accepts by default.
  public static func connack(
    sessionPresent: Bool = false, _ reason: Reason = .success, properties: [Property] = []
  ) -> Packet {
    .connack(Connack(sessionPresent: sessionPresent, reason: reason, properties: properties))
  }

  /// A message of text.
  public static func publish(
    _ topic: String, _ text: String, qos: UInt8 = 0, retain: Bool = false, isDuplicate: Bool = false,
    id: UInt16 = 0, properties: [Property] = []
  ) -> Packet {
    publish(
      topic, Array(text.utf8), qos: qos, retain: retain, isDuplicate: isDuplicate, id: id,
      properties: properties)
  }

  /// A message of bytes.
  public static func publish(
    _ topic: String, _ payload: [UInt8], qos: UInt8 = 0, retain: Bool = false, isDuplicate: Bool = false,
    id: UInt16 = 0, properties: [Property] = []
  ) -> Packet {
    .publish(
      Publish(
        topic: topic, payload: payload, qos: qos, retain: retain, isDuplicate: isDuplicate, id: id,
        properties: properties))
  }

  /// The receipt of the QoS 1 message with this number.
  public static func puback(
    _ id: UInt16, _ reason: Reason = .success, properties: [Property] = []
  ) -> Packet {
    .puback(Ack(id: id, reason: reason, properties: properties))
  }

  /// The receipt of the QoS 2 message with this number.
  public static func pubrec(
    _ id: UInt16, _ reason: Reason = .success, properties: [Property] = []
  ) -> Packet {
    .pubrec(Ack(id: id, reason: reason, properties: properties))
  }

  /// The release of the QoS 2 message with this number.
  public static func pubrel(
    _ id: UInt16, _ reason: Reason = .success, properties: [Property] = []
  ) -> Packet {
    .pubrel(Ack(id: id, reason: reason, properties: properties))
  }

  /// The end of the QoS 2 message with this number.
  public static func pubcomp(
    _ id: UInt16, _ reason: Reason = .success, properties: [Property] = []
  ) -> Packet {
    .pubcomp(Ack(id: id, reason: reason, properties: properties))
  }

  /// A wish for messages.
  public static func subscribe(
    _ id: UInt16, _ filters: [Subscribe.Filter], properties: [Property] = []
  ) -> Packet {
    .subscribe(Subscribe(id: id, filters: filters, properties: properties))
  }

  /// The answer to the SUBSCRIBE with this number, such as `.suback(subscribe.id, [.granted(1)])`.
  public static func suback(_ id: UInt16, _ reasons: [Reason], properties: [Property] = []) -> Packet {
    .suback(Suback(id: id, reasons: reasons, properties: properties))
  }

  /// The end of a wish for messages.
  public static func unsubscribe(_ id: UInt16, _ filters: [String], properties: [Property] = []) -> Packet {
    .unsubscribe(Unsubscribe(id: id, filters: filters, properties: properties))
  }

  /// The answer to the UNSUBSCRIBE with this number.
  public static func unsuback(_ id: UInt16, _ reasons: [Reason], properties: [Property] = []) -> Packet {
    .unsuback(Unsuback(id: id, reasons: reasons, properties: properties))
  }

  /// A goodbye; a broker may say it only in MQTT 5.
  public static func disconnect(_ reason: Reason = .success, properties: [Property] = []) -> Packet {
    .disconnect(Disconnect(reason: reason, properties: properties))
  }

  /// A step of an extended authentication; only in MQTT 5.
  public static func auth(_ reason: Reason, properties: [Property] = []) -> Packet {
    .auth(Auth(reason: reason, properties: properties))
  }
}
