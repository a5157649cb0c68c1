import CMosquitto

/// A list of MQTT 5 properties under construction; the library copies it where it takes it.
struct PropertyList: ~Copyable {
  private(set) var head: OpaquePointer?

  /// The first thing that the library did not take.
  private(set) var code = MOSQ_ERR_SUCCESS

  init() {}

  init(_ properties: MessageProperties) {
    if let type = properties.contentType, !type.isEmpty {
      // An empty string would crash libmosquitto 2.0.11 when it copies the list.
      note(mosquitto_property_add_string(&head, Int32(MQTT_PROP_CONTENT_TYPE.rawValue), type))
    }
    if let expiry = properties.expiry {
      add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, UInt32(clamping: expiry.wholeSeconds))
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
