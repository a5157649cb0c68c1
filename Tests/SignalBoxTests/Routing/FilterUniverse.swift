import MQTT

/// All filters of up to three levels over a small alphabet, and which topics each of them matches: what the trie says
/// of any of them can be counted out.
///
/// Exact, because the topics have a level that no filter names, and may have one level more than any filter.
struct FilterUniverse {
  let filters: [TopicFilter]
  let topics: [String]
  /// By filter: the topics that it matches, as numbers.
  let matched: [Set<Int>]

  static let shared = FilterUniverse()

  private init() {
    let literals = ["a", "b", "", "$x"]
    let plain = Self.joined(literals + ["+"], upTo: 3)
    let open = ["#"] + Self.joined(literals + ["+"], upTo: 2).map { $0 + "/#" } + ["/#"]
    filters = Set(plain + open).sorted().compactMap { try? TopicFilter($0) }
    topics = Self.joined(literals + ["z"], upTo: 4)
    matched = filters.map { [topics] filter in
      Set(topics.indices.filter { filter.matches(topics[$0]) })
    }
  }

  /// Whether one is wider than the other: of the two that match the same topics, `#` is.
  func isWider(_ one: Int, than other: Int) -> Bool {
    if one == other || filters[one].name == "+/#" && filters[other].name == "#" { return false }
    return reach(one).isSuperset(of: reach(other))
  }

  func overlaps(_ one: Int, _ other: Int) -> Bool {
    !reach(one).isDisjoint(with: reach(other))
  }

  /// What a filter matches, and with it the empty topic, which no message can have.
  private func reach(_ filter: Int) -> Set<Int> {
    ["#", "+", "/#", "+/#"].contains(filters[filter].name) ? matched[filter].union([-1]) : matched[filter]
  }

  /// Each sequence of one to `count` levels but the empty string.
  private static func joined(_ levels: [String], upTo count: Int) -> [String] {
    var all: [String] = []
    var longest = levels
    for _ in 1...count {
      all += longest
      longest = longest.flatMap { start in levels.map { start + "/" + $0 } }
    }
    return all.filter { !$0.isEmpty }
  }
}
