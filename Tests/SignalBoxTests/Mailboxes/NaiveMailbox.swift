@testable import SignalBox

/// The rules of a mailbox written down as plainly as possible: one list, gone through each time.
struct NaiveMailbox {
  enum Entry: Equatable {
    case value(Int, topic: String)
    case progress(Int)
  }

  let policy: Mailbox.Policy
  let capacity: Int
  var entries: [Entry] = []

  var count: Int { entries.count { if case .value = $0 { true } else { false } } }

  /// What came of it, as `taken`, `full`, `dropped 3` or `superseded 3`.
  mutating func append(_ value: Int, topic: String) -> String {
    if policy == .latestPerTopic {
      for (index, entry) in entries.enumerated() {
        if case .value(let old, topic) = entry {
          entries[index] = .value(value, topic: topic)
          return "superseded \(old)"
        }
      }
    }
    var outcome = "taken"
    if count == capacity {
      switch policy {
      case .wait: return "full"
      case .dropNewest: return "dropped \(value)"
      case .dropOldest, .latestPerTopic: outcome = "dropped \(dropFirst())"
      }
    }
    entries.append(.value(value, topic: topic))
    return outcome
  }

  private mutating func dropFirst() -> Int {
    for (index, entry) in entries.enumerated() {
      guard case .value(let value, _) = entry else { continue }
      entries.remove(at: index)
      // Two progresses that have become neighbours are one.
      if index > 0, index < entries.count, case .progress = entries[index],
        case .progress = entries[index - 1]
      {
        entries.remove(at: index - 1)
      }
      return value
    }
    return -1
  }

  mutating func append(progress: Int) {
    if case .progress = entries.last { entries.removeLast() }
    entries.append(.progress(progress))
  }

  mutating func take() -> Entry? { entries.isEmpty ? nil : entries.removeFirst() }
}
