import CMosquitto

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The properties of a PUBLISH as the library lends them to a callback, read in one pass.
///
/// The library has checked strings: no NUL, no control character, valid UTF-8, or it breaks the link. What it has not
/// checked and would be of no use is left out: a response topic that can't be published to.
struct ReceivedProperties {
  private(set) var identifiers: SubscriptionIdentifiers = []
  private var contentType: String?
  private var expiry: Duration?
  private var responseTopic: Topic?
  private var correlationData: [UInt8]?
  private var isText = false
  private var userProperties: [UserProperty] = []
  private var isEmpty = true

  init(_ list: OpaquePointer) {
    var next: OpaquePointer? = list
    while let property = next {
      read(property)
      next = mosquitto_property_next(property)
    }
  }

  var properties: MessageProperties {
    if isEmpty { return MessageProperties() }
    return MessageProperties(
      contentType: contentType, expiry: expiry, responseTopic: responseTopic,
      correlationData: correlationData, isText: isText, userProperties: userProperties)
  }

  private mutating func read(_ property: OpaquePointer) {
    let name = mosquitto_property_identifier(property)
    guard let kind = UInt32(exactly: name).map({ mqtt5_property(rawValue: $0) }) else { return }
    if kind == MQTT_PROP_SUBSCRIPTION_IDENTIFIER {
      var value: UInt32 = 0
      if mosquitto_property_read_varint(property, name, &value, false) != nil { identifiers.append(value) }
      return
    }
    isEmpty = false
    switch kind {
    case MQTT_PROP_CONTENT_TYPE:
      contentType = Self.string(property, name)
    case MQTT_PROP_RESPONSE_TOPIC:
      responseTopic = Self.string(property, name).flatMap { try? Topic($0) }
    case MQTT_PROP_MESSAGE_EXPIRY_INTERVAL:
      var value: UInt32 = 0
      if mosquitto_property_read_int32(property, name, &value, false) != nil {
        expiry = .seconds(Int64(value))
      }
    case MQTT_PROP_PAYLOAD_FORMAT_INDICATOR:
      var value: UInt8 = 0
      isText = mosquitto_property_read_byte(property, name, &value, false) != nil && value == 1
    case MQTT_PROP_CORRELATION_DATA:
      var value: UnsafeMutableRawPointer?
      var count: UInt16 = 0
      if mosquitto_property_read_binary(property, name, &value, &count, false) != nil, let value {
        correlationData = Array(UnsafeRawBufferPointer(start: value, count: Int(count)))
        free(value)
      }
    case MQTT_PROP_USER_PROPERTY:
      var key: UnsafeMutablePointer<CChar>?
      var value: UnsafeMutablePointer<CChar>?
      if mosquitto_property_read_string_pair(property, name, &key, &value, false) != nil, let key, let value {
        userProperties.append(UserProperty(String(cString: key), String(cString: value)))
        free(key)
        free(value)
      }
    default:
      break
    }
  }

  private static func string(_ property: OpaquePointer, _ name: Int32) -> String? {
    var value: UnsafeMutablePointer<CChar>?
    guard mosquitto_property_read_string(property, name, &value, false) != nil, let value else { return nil }
    defer { free(value) }
    return String(cString: value)
  }
}
