import CMosquitto

extension ConnectionError {
  /// What the end of a link by this cause may say about subscriptions.
  var linkEnd: LinkEnd {
    switch self {
    case .disconnected(let code): Self.otherReasons.contains(code.rawValue) ? .other : .byBroker
    case Self.severalIdentifiers: .byIdentifiers
    default: Self.endsByBroker.contains(self) ? .byBroker : .other
    }
  }

  private static let severalIdentifiers = linkLost(
    Handle.fault(Int32(MOSQ_ERR_DUPLICATE_PROPERTY.rawValue)) ?? "")

  /// Reasons that are about the broker or the client: normal, unavailable, busy, shutting down, keep-alive, taken over,
  /// rate, administrative action, other servers, connection rate and time.
  private static let otherReasons: Set<UInt8> = [
    0x00, 0x88, 0x89, 0x8B, 0x8D, 0x8E, 0x96, 0x98, 0x9C, 0x9D, 0x9F, 0xA0,
  ]
}
