import CMosquitto

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Message {
  /// Copies what the library lends to a callback.
  init(_ message: mosquitto_message, _ properties: OpaquePointer?) {
    let count = Int(message.payloadlen)
    let bytes = UnsafeBufferPointer(
      start: message.payload?.assumingMemoryBound(to: UInt8.self), count: message.payload == nil ? 0 : count)
    let extras = properties.map { ReceivedProperties($0) }
    self.init(
      topic: message.topic.map { String(cString: $0) } ?? "",
      payload: Array(bytes),
      qos: QoS(rawValue: Int(message.qos)) ?? .atMostOnce,
      isRetained: message.retain,
      subscriptionIdentifiers: extras?.identifiers ?? [],
      properties: extras?.properties ?? MessageProperties())
  }
}

extension Session {
  /// Takes in what a CONNACK of MQTT 5 tells.
  mutating func read(_ properties: OpaquePointer?) {
    if let value = Self.byte(properties, MQTT_PROP_MAXIMUM_QOS) {
      maximumQoS = QoS(rawValue: Int(value)) ?? .exactlyOnce
    }
    if let value = Self.int16(properties, MQTT_PROP_RECEIVE_MAXIMUM) { receiveMaximum = Int(value) }
    if let value = Self.int16(properties, MQTT_PROP_SERVER_KEEP_ALIVE) { keepAlive = .seconds(Int(value)) }
    var size: UInt32 = 0
    if mosquitto_property_read_int32(
      properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), &size, false) != nil
    {
      maximumPacketSize = Int(size)
    }
    isRetainAvailable = Self.byte(properties, MQTT_PROP_RETAIN_AVAILABLE) != 0
    hasSubscriptionIdentifiers = Self.byte(properties, MQTT_PROP_SUBSCRIPTION_ID_AVAILABLE) != 0
    hasSharedSubscriptions = Self.byte(properties, MQTT_PROP_SHARED_SUB_AVAILABLE) != 0
    hasWildcards = Self.byte(properties, MQTT_PROP_WILDCARD_SUB_AVAILABLE) != 0
    var assigned: UnsafeMutablePointer<CChar>?
    if mosquitto_property_read_string(
      properties, Int32(MQTT_PROP_ASSIGNED_CLIENT_IDENTIFIER.rawValue), &assigned, false) != nil, let assigned
    {
      clientID = String(cString: assigned)
      free(assigned)
    }
  }

  private static func byte(_ properties: OpaquePointer?, _ name: mqtt5_property) -> UInt8? {
    var value: UInt8 = 0
    return mosquitto_property_read_byte(properties, Int32(name.rawValue), &value, false) == nil ? nil : value
  }

  private static func int16(_ properties: OpaquePointer?, _ name: mqtt5_property) -> UInt16? {
    var value: UInt16 = 0
    return mosquitto_property_read_int16(properties, Int32(name.rawValue), &value, false) == nil ? nil : value
  }
}
