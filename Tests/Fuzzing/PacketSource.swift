public import Brokers

/// Makes well-formed packets of a broker with all of their parts, in either version.
///
/// The numbers of packets are small, so that now and then they are those of packets under way.
public struct PacketSource: Sendable {
  private let version: Packet.Version

  /// A source of packets of one version.
  public init(version: Packet.Version) { self.version = version }

  /// Any packet, those that a broker sends in the middle of a session most of the time.
  public func packet(using dice: inout Dice) -> Packet {
    switch dice.roll(200) {
    case ..<120: publish(using: &dice)
    case ..<140: .pubrel(id(&dice), properties: acknowledged(&dice))
    case ..<150: .puback(id(&dice), reason(&dice), properties: acknowledged(&dice))
    case ..<160: .pubrec(id(&dice), reason(&dice), properties: acknowledged(&dice))
    case ..<168: .pubcomp(id(&dice), reason(&dice), properties: acknowledged(&dice))
    case ..<178: .suback(id(&dice), reasons(&dice), properties: acknowledged(&dice))
    case ..<186: .unsuback(id(&dice), reasons(&dice), properties: acknowledged(&dice))
    case ..<192: .pingresp
    case ..<197 where version == .v5: .auth(.continueAuthentication, properties: authentication(&dice))
    case ..<198: connack(using: &dice)
    case ..<199:
      .disconnect(dice.pick([.serverShuttingDown, .sessionTakenOver]), properties: farewell(&dice))
    default: foreign(using: &dice)
    }
  }

  /// An acceptance; the limits in it let a client work, most of the time.
  public func connack(using dice: inout Dice) -> Packet {
    let all: [Packet.Property] = [
      .sessionExpiry(60), .serverKeepAlive(dice.pick([0, 1, 5, .max])),
      .receiveMaximum(dice.pick([1, 2, .max])),
      .topicAliasMaximum(3), .maximumQoS(UInt8(dice.roll(2))), .retainAvailable(dice.chance(80)),
      .maximumPacketSize(dice.pick([64, 4_096, .max])), .wildcardSubscriptionAvailable(dice.chance(80)),
      .subscriptionIdentifiersAvailable(dice.chance(80)), .sharedSubscriptionAvailable(dice.chance(80)),
      .responseInformation(text(&dice)), .serverReference(text(&dice)), .reasonString(text(&dice)),
      .userProperty(text(&dice), text(&dice)),
    ]
    return .connack(sessionPresent: dice.chance(20), properties: some(all, &dice))
  }

  private func publish(using dice: inout Dice) -> Packet {
    let qos = UInt8(dice.roll(3))
    let size = dice.pick([0, 1, 5, 20, 100, dice.roll(2_000)])
    let all: [Packet.Property] = [
      .payloadIsText(dice.chance(50)), .messageExpiry(UInt32(dice.roll(9))), .contentType(text(&dice)),
      .responseTopic(dice.pick(["a/b", "", "+", "a/#"])), .correlationData(dice.bytes(dice.roll(9))),
      .subscriptionIdentifier(1 + UInt32(dice.roll(300))), .topicAlias(1),
      .userProperty(text(&dice), text(&dice)),
      .userProperty("", ""),
    ]
    return .publish(
      dice.pick(["a", "a/b", "$SYS/x", "ä/€/\u{1F600}", text(&dice) + "/"]), dice.bytes(size), qos: qos,
      retain: dice.chance(20), isDuplicate: qos > 0 && dice.chance(20), id: qos > 0 ? id(&dice) : 0,
      properties: some(all, &dice))
  }

  /// What only clients send.
  private func foreign(using dice: inout Dice) -> Packet {
    dice.pick([
      .pingreq, .subscribe(id(&dice), [.init("a", qos: 1)]), .unsubscribe(id(&dice), ["a"]),
      .connect(.init(version: version, clientID: text(&dice))),
    ])
  }

  private func id(_ dice: inout Dice) -> UInt16 { UInt16(1 + dice.roll(dice.chance(80) ? 12 : 60_000)) }

  private func reason(_ dice: inout Dice) -> Packet.Reason {
    version == .v311
      ? .success : dice.pick([.success, .success, .noMatchingSubscribers, .notAuthorized, 0xFF])
  }

  private func reasons(_ dice: inout Dice) -> [Packet.Reason] {
    (0...dice.roll(4)).map { _ in dice.pick([0, 1, 2, 0x80]) }
  }

  private func acknowledged(_ dice: inout Dice) -> [Packet.Property] {
    some([.reasonString(text(&dice)), .userProperty(text(&dice), text(&dice))], &dice)
  }

  private func farewell(_ dice: inout Dice) -> [Packet.Property] {
    some([.serverReference(text(&dice)), .reasonString(text(&dice)), .userProperty("", "x")], &dice)
  }

  private func authentication(_ dice: inout Dice) -> [Packet.Property] {
    some(
      [.authenticationMethod(text(&dice)), .authenticationData(dice.bytes(4)), .reasonString("why")], &dice)
  }

  private func some(_ properties: [Packet.Property], _ dice: inout Dice) -> [Packet.Property] {
    guard version == .v5, dice.chance(50) else { return [] }
    return properties.filter { _ in dice.chance(40) }
  }

  private func text(_ dice: inout Dice) -> String {
    dice.pick(["", "x", "text/plain", "größe", String(repeating: "y", count: dice.roll(200))])
  }
}
