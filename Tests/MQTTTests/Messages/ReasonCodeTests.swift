import Testing

@testable import MQTT

struct ReasonCodeTests {
  @Test("Every code of the specification has its words, and no other number has")
  func words() {
    let known = (UInt8.min...UInt8.max).filter { ReasonCode(rawValue: $0).words != "Unknown reason" }
    let failures = Array(0x80...0xA2) as [UInt8]
    #expect(known == [0x00, 0x01, 0x02, 0x04, 0x10, 0x11, 0x18, 0x19] + failures)
    #expect(Set(known.map { ReasonCode(rawValue: $0).words }).count == known.count)
    #expect(known.allSatisfy { ReasonCode(rawValue: $0).isFailure == ($0 >= 0x80) })
  }

  @Test("A code is described by its words and its number")
  func description() {
    #expect("\(ReasonCode.notAuthorized)" == "Not authorized (135)")
    #expect("\(ReasonCode.wildcardSubscriptionsNotSupported)" == "Wildcard Subscriptions not supported (162)")
    #expect("\(ReasonCode(rawValue: 0xFF))" == "Unknown reason (255)")
  }

  @Test("The names stand for the numbers of the specification")
  func numbers() {
    #expect(ReasonCode.quotaExceeded.rawValue == 0x97)
    #expect(ReasonCode.packetTooLarge.rawValue == 0x95)
    #expect(ReasonCode.sessionTakenOver.rawValue == 0x8E)
    #expect(ReasonCode.sharedSubscriptionsNotSupported.rawValue == 0x9E)
    #expect(ReasonCode.noSubscriptionExisted.rawValue == 0x11)
  }

  @Test(
    "The codes of an MQTT 3.1.1 CONNACK are told in those of MQTT 5",
    arguments: [
      (1, .unsupportedProtocolVersion), (2, .clientIdentifierNotValid), (3, .serverUnavailable),
      (4, .badUserNameOrPassword), (5, .notAuthorized), (0x97, .quotaExceeded),
    ] as [(Int32, ReasonCode)])
  func connack(_ code: Int32, _ expected: ReasonCode) {
    #expect(ReasonCode(connack: code) == expected)
  }
}
