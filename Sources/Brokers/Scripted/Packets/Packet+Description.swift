extension Packet: CustomStringConvertible {
  /// One line, such as `PUBLISH 7 to "a/b", QoS 1, 5 bytes`. Passwords and payloads are not shown.
  public var description: String {
    switch self {
    case .connect(let connect): "\(kind) \(connect)"
    case .connack(let connack):
      "\(kind) \(connack.reason)\(connack.sessionPresent ? ", session present" : "")\(connack.properties.listed)"
    case .publish(let publish): "\(kind)\(publish.summary)"
    case .puback(let ack), .pubrec(let ack), .pubrel(let ack), .pubcomp(let ack):
      "\(kind) \(ack.id)\(ack.reason.unlessSuccess)\(ack.properties.listed)"
    case .subscribe(let subscribe):
      "\(kind) \(subscribe.id) to \(subscribe.filters.map(\.summary).joined(separator: ", "))"
        + subscribe.properties.listed
    case .suback(let suback): "\(kind) \(suback.id) \(suback.reasons)\(suback.properties.listed)"
    case .unsubscribe(let unsubscribe):
      "\(kind) \(unsubscribe.id) from \(unsubscribe.filters.map(\.quoted).joined(separator: ", "))"
        + unsubscribe.properties.listed
    case .unsuback(let unsuback):
      "\(kind) \(unsuback.id)\(unsuback.reasons.isEmpty ? "" : " \(unsuback.reasons)")"
        + unsuback.properties.listed
    case .pingreq, .pingresp: "\(kind)"
    case .disconnect(let disconnect):
      "\(kind)\(disconnect.reason.unlessSuccess)\(disconnect.properties.listed)"
    case .auth(let auth): "\(kind) \(auth.reason)\(auth.properties.listed)"
    }
  }
}

extension Packet.Connect: CustomStringConvertible, CustomReflectable {
  /// What the client asks for, without the password.
  public var description: String {
    var parts = ["from \(clientID.quoted)", "\(version)", "keep-alive \(keepAlive) s"]
    if cleanStart { parts.append("clean start") }
    if let user { parts.append("user \(user.quoted)") }
    if password != nil { parts.append("password hidden") }
    if let will { parts.append("will on \(will.topic.quoted)") }
    return parts.joined(separator: ", ") + properties.listed
  }

  /// The packet without the password.
  public var customMirror: Mirror {
    Mirror(self, children: ["description": description], displayStyle: .struct)
  }
}

extension Packet.Publish {
  fileprivate var summary: String {
    var text = id == 0 ? "" : " \(id)"
    text += " to \(topic.quoted), QoS \(qos)"
    if retain { text += ", retained" }
    if isDuplicate { text += ", duplicate" }
    return text + ", \(payload.counted)\(properties.listed)"
  }
}

extension Packet.Subscribe.Filter {
  fileprivate var summary: String {
    var options = "QoS \(qos)"
    if noLocal { options += ", no local" }
    if retainAsPublished { options += ", retain as published" }
    if retainHandling != 0 { options += ", retain handling \(retainHandling)" }
    return "\(name.quoted) (\(options))"
  }
}

extension Packet.Reason {
  fileprivate var unlessSuccess: String { self == .success ? "" : " \(self)" }
}

extension [Packet.Property] {
  fileprivate var listed: String { isEmpty ? "" : ", " + map(\.description).joined(separator: ", ") }
}

extension [UInt8] {
  var counted: String { count == 1 ? "1 byte" : "\(count) bytes" }
}

extension String {
  /// In quotes, with control characters escaped, so that an error stays in its line.
  var quoted: String { debugDescription }
}
