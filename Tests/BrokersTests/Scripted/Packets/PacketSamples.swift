import Fuzzing
import Brokers

/// Packets that use every part and every property.
enum PacketSamples {
  static func all(_ version: Packet.Version) -> [Packet] {
    let isV5 = version == .v5
    let reason: Packet.Reason = isV5 ? 0x87 : .success
    func list(_ properties: Packet.Property...) -> [Packet.Property] { isV5 ? properties : [] }
    let user = list(.userProperty("näme", "välue"), .userProperty("näme", ""))
    let why = list(.reasonString("because")) + user
    let message = list(
      .payloadIsText(true), .messageExpiry(.max), .contentType("text/plain"), .responseTopic("a/b"),
      .correlationData([0, 255]))
    var packets: [Packet] = [
      .connect(.init(version: version)),
      .connect(
        .init(
          version: version, clientID: "client", cleanStart: false, keepAlive: .max,
          will: .init(
            topic: "w", payload: [1, 2], qos: 2, retain: true,
            properties: message + list(.willDelay(9)) + user),
          user: "user", password: [0, 1],
          properties: list(
            .sessionExpiry(1), .authenticationMethod("m"), .authenticationData([1]),
            .requestProblemInformation(false), .requestResponseInformation(true), .receiveMaximum(1),
            .topicAliasMaximum(0), .maximumPacketSize(1)) + user)),
      .connack(),
      .connack(
        sessionPresent: true, 5,
        properties: list(
          .sessionExpiry(1), .assignedClientID("c"), .serverKeepAlive(0), .authenticationMethod("m"),
          .authenticationData([]), .responseInformation("r"), .serverReference("s"), .receiveMaximum(.max),
          .topicAliasMaximum(3), .maximumQoS(1), .retainAvailable(false), .maximumPacketSize(.max),
          .wildcardSubscriptionAvailable(false), .subscriptionIdentifiersAvailable(true),
          .sharedSubscriptionAvailable(false)) + why),
      .publish("a", ""),
      .publish("a/ü", [0, 255], retain: true, properties: message + user),
      .publish("a", "x", qos: 1, isDuplicate: true, id: .max, properties: list(.topicAlias(1))),
      .publish(
        "a", [UInt8](repeating: 7, count: 20_000), qos: 2, id: 1,
        properties: list(.subscriptionIdentifier(1), .subscriptionIdentifier(268_435_455))),
      .subscribe(1, [.init("a")]),
      .subscribe(
        2,
        [
          .init("a/+", qos: 2, noLocal: isV5, retainAsPublished: isV5, retainHandling: isV5 ? 2 : 0),
          .init("#"),
        ],
        properties: list(.subscriptionIdentifier(200)) + user),
      .suback(2, [.granted(2), 0x80], properties: why),
      .unsubscribe(3, ["a", "#"], properties: user),
      .unsuback(3, isV5 ? [.success, .noSubscriptionExisted] : [], properties: why),
      .pingreq, .pingresp,
      .disconnect(),
      .disconnect(reason, properties: list(.sessionExpiry(0), .serverReference("s")) + why),
    ]
    if isV5 {
      packets += [.auth(.success), .publish("", "x", properties: [.topicAlias(1)]), .disconnect(0x8B)]
      packets.append(
        .auth(
          .continueAuthentication, properties: [.authenticationMethod("m"), .authenticationData([1])] + why))
    }
    for make in [Packet.puback(_:_:properties:), Packet.pubrec, Packet.pubrel, Packet.pubcomp] {
      packets += [
        make(1, .success, []), make(.max, reason, []), make(2, reason, why), make(3, .success, why),
      ]
    }
    return packets
  }

  static func random(_ version: Packet.Version, using random: inout Dice) -> Packet {
    // A CONNECT would be read by its own version, which is this one.
    guard Bool.random(using: &random) else { return all(version).randomElement(using: &random)! }
    let size = Int.random(in: 0...600, using: &random)
    let qos = UInt8.random(in: 0...2, using: &random)
    return .publish(
      String(repeating: "t", count: Int.random(in: 1...150, using: &random)),
      (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }, qos: qos,
      retain: Bool.random(using: &random), isDuplicate: qos > 0 && Bool.random(using: &random),
      id: qos > 0 ? UInt16.random(in: 1...UInt16.max, using: &random) : 0)
  }
}
