extension Packet {
  /// What a client says first.
  public struct Connect: Sendable, Hashable {
    /// The version that the client asks for.
    public var version: Version
    /// Who the client is; empty asks the broker for a name.
    public var clientID: String
    /// Whether the broker shall forget what it kept for the client.
    public var cleanStart: Bool
    /// The longest silence of the client in seconds; 0 is no limit.
    public var keepAlive: UInt16
    /// What the broker shall publish when the client is lost.
    public var will: Will?
    /// The user name.
    public var user: String?
    /// The password; no description shows it.
    public var password: [UInt8]?
    /// The properties (MQTT 5, 3.1.2.11).
    public var properties: [Property]

    /// Makes a CONNECT.
    public init(
      version: Version = .v5, clientID: String = "", cleanStart: Bool = true, keepAlive: UInt16 = 60,
      will: Will? = nil, user: String? = nil, password: [UInt8]? = nil, properties: [Property] = []
    ) {
      self.version = version
      self.clientID = clientID
      self.cleanStart = cleanStart
      self.keepAlive = keepAlive
      self.will = will
      self.user = user
      self.password = password
      self.properties = properties
    }

    /// How many QoS 1 and 2 messages the client takes at once, if it says so (3.1.2.11.3).
    public var receiveMaximum: UInt16? {
      for case .receiveMaximum(let count) in properties { return count }
      return nil
    }
  }

  /// The message of a client that was lost.
  public struct Will: Sendable, Hashable {
    /// Where it is published.
    public var topic: String
    /// Its bytes, 65,535 at most.
    public var payload: [UInt8]
    /// 0, 1 or 2.
    public var qos: UInt8
    /// Whether the broker keeps it for later subscribers.
    public var retain: Bool
    /// The properties (MQTT 5, 3.1.3.2).
    public var properties: [Property]

    /// Makes a will.
    public init(
      topic: String, payload: [UInt8], qos: UInt8 = 0, retain: Bool = false, properties: [Property] = []
    ) {
      self.topic = topic
      self.payload = payload
      self.qos = qos
      self.retain = retain
      self.properties = properties
    }
  }

  /// The broker's answer to CONNECT.
  public struct Connack: Sendable, Hashable {
    /// Whether the broker still knows the client's session.
    public var sessionPresent: Bool
    /// Zero, or why the client is refused: 1 to 5 in MQTT 3.1.1, from 0x80 in MQTT 5.
    public var reason: Reason
    /// The properties (MQTT 5, 3.2.2.3).
    public var properties: [Property]

    /// Makes a CONNACK.
    public init(sessionPresent: Bool = false, reason: Reason = .success, properties: [Property] = []) {
      self.sessionPresent = sessionPresent
      self.reason = reason
      self.properties = properties
    }
  }

  /// A message.
  public struct Publish: Sendable, Hashable {
    /// Where it is published; empty with a topic alias.
    public var topic: String
    /// Its bytes.
    public var payload: [UInt8]
    /// 0, 1 or 2.
    public var qos: UInt8
    /// Whether it is kept for later subscribers, or was.
    public var retain: Bool
    /// Whether it may have been sent before.
    public var isDuplicate: Bool
    /// Its number from 1 on; encoded only with QoS 1 and 2, and 0 with QoS 0.
    public var id: UInt16
    /// The properties (MQTT 5, 3.3.2.3).
    public var properties: [Property]

    /// Makes a message.
    public init(
      topic: String, payload: [UInt8], qos: UInt8 = 0, retain: Bool = false, isDuplicate: Bool = false,
      id: UInt16 = 0, properties: [Property] = []
    ) {
      self.topic = topic
      self.payload = payload
      self.qos = qos
      self.retain = retain
      self.isDuplicate = isDuplicate
      self.id = id
      self.properties = properties
    }

    /// The payload as text; bytes that are no UTF-8 become U+FFFD.
    public var text: String { String(decoding: payload, as: UTF8.self) }
  }

  /// The body of PUBACK, PUBREC, PUBREL and PUBCOMP.
  public struct Ack: Sendable, Hashable {
    /// The number of the message.
    public var id: UInt16
    /// How it went; MQTT 3.1.1 only knows success.
    public var reason: Reason
    /// The properties (MQTT 5).
    public var properties: [Property]

    /// Makes an acknowledgement.
    public init(id: UInt16, reason: Reason = .success, properties: [Property] = []) {
      self.id = id
      self.reason = reason
      self.properties = properties
    }
  }

  /// The wish for messages.
  public struct Subscribe: Sendable, Hashable {
    /// One filter with its options (MQTT 5, 3.8.3.1).
    public struct Filter: Sendable, Hashable {
      /// Which topics.
      public var name: String
      /// The highest QoS that the client wants.
      public var qos: UInt8
      /// Whether the client's own messages are left out (MQTT 5).
      public var noLocal: Bool
      /// Whether messages keep their retain flag (MQTT 5).
      public var retainAsPublished: Bool
      /// Which retained messages are sent at once: 0 all, 1 only to a new subscription, 2 none (MQTT 5).
      public var retainHandling: UInt8

      /// Makes a filter.
      public init(
        _ name: String, qos: UInt8 = 0, noLocal: Bool = false, retainAsPublished: Bool = false,
        retainHandling: UInt8 = 0
      ) {
        self.name = name
        self.qos = qos
        self.noLocal = noLocal
        self.retainAsPublished = retainAsPublished
        self.retainHandling = retainHandling
      }
    }

    /// The number that SUBACK repeats.
    public var id: UInt16
    /// At least one.
    public var filters: [Filter]
    /// The properties (MQTT 5, 3.8.2.1).
    public var properties: [Property]

    /// Makes a SUBSCRIBE.
    public init(id: UInt16, filters: [Filter], properties: [Property] = []) {
      self.id = id
      self.filters = filters
      self.properties = properties
    }
  }

  /// The answer to SUBSCRIBE.
  public struct Suback: Sendable, Hashable {
    /// The number of the SUBSCRIBE.
    public var id: UInt16
    /// One for each filter: the granted QoS, or from 0x80 why not.
    public var reasons: [Reason]
    /// The properties (MQTT 5, 3.9.2.1).
    public var properties: [Property]

    /// Makes a SUBACK.
    public init(id: UInt16, reasons: [Reason], properties: [Property] = []) {
      self.id = id
      self.reasons = reasons
      self.properties = properties
    }
  }

  /// The end of the wish for messages.
  public struct Unsubscribe: Sendable, Hashable {
    /// The number that UNSUBACK repeats.
    public var id: UInt16
    /// At least one.
    public var filters: [String]
    /// The properties (MQTT 5, 3.10.2.1).
    public var properties: [Property]

    /// Makes an UNSUBSCRIBE.
    public init(id: UInt16, filters: [String], properties: [Property] = []) {
      self.id = id
      self.filters = filters
      self.properties = properties
    }
  }

  /// The answer to UNSUBSCRIBE.
  public struct Unsuback: Sendable, Hashable {
    /// The number of the UNSUBSCRIBE.
    public var id: UInt16
    /// One for each filter; none in MQTT 3.1.1.
    public var reasons: [Reason]
    /// The properties (MQTT 5, 3.11.2.1).
    public var properties: [Property]

    /// Makes an UNSUBACK.
    public init(id: UInt16, reasons: [Reason] = [], properties: [Property] = []) {
      self.id = id
      self.reasons = reasons
      self.properties = properties
    }
  }

  /// The goodbye.
  public struct Disconnect: Sendable, Hashable {
    /// Why; MQTT 3.1.1 does not say.
    public var reason: Reason
    /// The properties (MQTT 5, 3.14.2.2).
    public var properties: [Property]

    /// Makes a DISCONNECT.
    public init(reason: Reason = .success, properties: [Property] = []) {
      self.reason = reason
      self.properties = properties
    }
  }

  /// A step of an extended authentication.
  public struct Auth: Sendable, Hashable {
    /// Where the exchange stands.
    public var reason: Reason
    /// The properties (MQTT 5, 3.15.2.2).
    public var properties: [Property]

    /// Makes an AUTH.
    public init(reason: Reason = .success, properties: [Property] = []) {
      self.reason = reason
      self.properties = properties
    }
  }
}
