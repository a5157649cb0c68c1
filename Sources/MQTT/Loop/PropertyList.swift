import CMosquitto

/// A list of MQTT 5 properties under construction; the library copies it where it takes it.
struct PropertyList: ~Copyable {
  private(set) var head: OpaquePointer?

  /// The first thing that the library did not take.
  private(set) var code = MOSQ_ERR_SUCCESS

  init() {}

  /// The values must have been checked: libmosquitto cuts lengths to 16 bits without a word.
  init(_ properties: MessageProperties) {
    if properties.isEmpty { return }
    if let type = properties.contentType, !type.isEmpty {
      // An empty string would crash libmosquitto 2.0.11 when it copies the list.
      add(MQTT_PROP_CONTENT_TYPE, type)
    }
    if let expiry = properties.expiry {
      add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, UInt32(clamping: expiry.wholeSeconds))
    }
    if let topic = properties.responseTopic { add(MQTT_PROP_RESPONSE_TOPIC, topic.name) }
    if let data = properties.correlationData {
      note(
        data.withUnsafeBytes {
          mosquitto_property_add_binary(
            &head, Int32(MQTT_PROP_CORRELATION_DATA.rawValue), $0.baseAddress, UInt16(clamping: $0.count))
        })
    }
    if properties.isText {
      note(mosquitto_property_add_byte(&head, Int32(MQTT_PROP_PAYLOAD_FORMAT_INDICATOR.rawValue), 1))
    }
    for property in properties.userProperties {
      note(
        mosquitto_property_add_string_pair(
          &head, Int32(MQTT_PROP_USER_PROPERTY.rawValue), property.name, property.value))
    }
  }

  deinit {
    var head = head
    mosquitto_property_free_all(&head)
  }

  mutating func add(_ property: mqtt5_property, _ value: UInt32) {
    note(mosquitto_property_add_int32(&head, Int32(property.rawValue), value))
  }

  mutating func add(_ property: mqtt5_property, _ value: String) {
    note(mosquitto_property_add_string(&head, Int32(property.rawValue), value))
  }

  mutating func addVariable(_ property: mqtt5_property, _ value: UInt32) {
    note(mosquitto_property_add_varint(&head, Int32(property.rawValue), value))
  }

  /// Gives the list to the library, which frees it.
  mutating func release() {
    head = nil
  }

  private mutating func note(_ result: Int32) {
    if code == MOSQ_ERR_SUCCESS { code = mosq_err_t(rawValue: result) }
  }
}
