import MQTT

/// Which filters need not be sent, where a broker knows no identifiers (MQTT 3.1.1): what it sends for a wider one
/// is routed to all that match (`bus.md`, exactly one copy).
extension SubscriptionTable {
  enum Cover {
    case none
    /// A wider one has been sent, or will be, and may be refused.
    case undecided
    /// The broker has accepted this wider one.
    case covered(TopicFilter)

    var isCovered: Bool { if case .covered = self { true } else { false } }
  }

  /// A shared filter shares out messages, and a wildcard in the first level does not match what begins with `$`.
  static func canBeCovered(_ filter: TopicFilter) -> Bool {
    filter.sharedGroup == nil && filter.name.utf8.first != UInt8(ascii: "$")
  }

  func cover(of filter: TopicFilter, _ entry: Entry) -> Cover {
    guard covers, let wanted = entry.wanted, Self.canBeCovered(filter) else { return .none }
    var cover = Cover.none
    wider.forEachWider(than: filter) { other in
      guard !cover.isCovered, let candidate = self[other], let qos = candidate.wanted, qos >= wanted else {
        return
      }
      if let granted = candidate.granted, granted >= wanted {
        cover = .covered(other)
      } else if candidate.isUndecided {
        cover = .undecided
      }
    }
    return cover
  }

  /// Whether others get through `filter` what they want, and have nothing else yet.
  func isStillNeeded(_ filter: TopicFilter) -> Bool {
    guard covers, Self.canBeCovered(filter) else { return false }
    var isNeeded = false
    wider.forEachNarrower(than: filter) { other in
      guard !isNeeded, let entry = self[other], entry.wanted != nil, entry.granted == nil,
        Self.canBeCovered(other)
      else { return }
      isNeeded = !cover(of: other, entry).isCovered
    }
    return isNeeded
  }

  /// The filter beside which `filter` can't be had: without identifiers nobody could tell the copies of a shared one
  /// from others. Who came later gives way.
  func conflict(of filter: TopicFilter, _ entry: Entry) -> TopicFilter? {
    guard entry.wanted != nil, !shared.isEmpty else { return nil }
    for other in shared where other != filter && other.overlaps(filter) {
      if let earlier = self[other]?.identifier, earlier < entry.identifier { return other }
    }
    guard filter.sharedGroup != nil else { return nil }
    return wider.firstOverlap(with: filter).flatMap { other in
      self[other].map { $0.identifier < entry.identifier } == true ? other : nil
    }
  }
}
