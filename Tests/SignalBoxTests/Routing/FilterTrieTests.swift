import Fuzzing
import MQTT
import Testing

@testable import SignalBox

@Suite struct FilterTrieTests {
  private let universe = FilterUniverse.shared

  @Test func `the universe has filters of every kind`() {
    #expect(universe.filters.count == 5 + 25 + 125 - 1 + 1 + 5 + 25)
    #expect(universe.topics.count == 5 + 25 + 125 + 625 - 1)
    #expect(universe.matched.allSatisfy { !$0.isEmpty })
  }

  @Test(arguments: 0..<8)
  func `any set of filters matches what its filters match`(part: UInt64) {
    for seed in part * 250..<(part + 1) * 250 {
      var dice = Dice(seed: seed)
      var (trie, members) = someFilters(&dice)
      for _ in 0..<20 {
        let topic = dice.roll(universe.topics.count)
        var found: [Int] = []
        trie.forEachMatch(universe.topics[topic]) { found.append($0) }
        let expected = members.filter { universe.matched[$0].contains(topic) }
        #expect(found.sorted() == expected.sorted(), "seed \(seed), topic \(universe.topics[topic])")
        change(&trie, &members, &dice)
      }
      #expect(trie.count == members.count, "seed \(seed)")
    }
  }

  @Test(arguments: 0..<8)
  func `wider, narrower and overlapping filters are those of the enumeration`(part: UInt64) {
    for seed in part * 100..<(part + 1) * 100 {
      var dice = Dice(seed: seed)
      var (trie, members) = someFilters(&dice)
      for _ in 0..<20 {
        let filter = dice.roll(universe.filters.count)
        let note: Comment = "seed \(seed), filter \(universe.filters[filter])"
        var wider: [Int] = []
        trie.forEachWider(than: universe.filters[filter]) { wider.append($0) }
        #expect(wider.sorted() == members.filter { universe.isWider($0, than: filter) }.sorted(), note)
        var narrower: [Int] = []
        trie.forEachNarrower(than: universe.filters[filter]) { narrower.append($0) }
        #expect(narrower.sorted() == members.filter { universe.isWider(filter, than: $0) }.sorted(), note)
        let overlapping = members.filter { universe.overlaps($0, filter) }
        let overlap = trie.firstOverlap(with: universe.filters[filter])
        #expect(overlap.map(overlapping.contains) ?? overlapping.isEmpty, note)
        change(&trie, &members, &dice)
      }
    }
  }

  @Test(
    arguments: [
      ("a/#", "a", true), ("a/#", "a/+", true), ("a/#", "a/+/#", true), ("a/#", "a/b/#", true),
      ("a/#", "b", false), ("a/#", "ab", false), ("+/#", "+/a", true), ("+/a", "+/#", false),
      ("+", "a", true), ("a", "+", false), ("+/+", "+/a", true), ("+", "a/b", false), ("#", "+/+", true),
      ("#", "+/#", true), ("+/#", "#", false), ("#", "$SYS/#", false), ("+/x", "$SYS/x", false),
      ("$SYS/#", "$SYS/+/x", true), ("$SYS/+", "$SYS/x", true), ("a/+", "a/$b", true), ("+", "/", false),
      ("+/a", "/a", true), ("a/+", "a/", true), ("a/+/#", "a", false), ("a/+/#", "a/#", false),
      ("a/+/c", "a/b/+", false), ("é", "e\u{301}", false), ("a", "a", false),
    ])
  func `one filter is wider than another`(_ one: String, _ other: String, _ expected: Bool) throws {
    let (one, other) = try (TopicFilter(one), TopicFilter(other))
    var wide = FilterTrie<Int>()
    wide[one] = 1
    var isWider = false
    wide.forEachWider(than: other) { _ in isWider = true }
    #expect(isWider == expected)
    var narrow = FilterTrie<Int>()
    narrow[other] = 1
    var isNarrower = false
    narrow.forEachNarrower(than: one) { _ in isNarrower = true }
    #expect(isNarrower == expected)
  }

  @Test(
    arguments: [
      ("a/+", "+/b", true), ("a/#", "a", true), ("a/b/#", "a/#", true), ("a/+/c", "a/b/+", true),
      ("a", "b", false), ("a/+", "a", false), ("+", "$x", false), ("#", "$x/#", false), ("#", "+", true),
      ("a/b", "a/b", true), ("$x/+", "$x/#", true), ("+/x", "a/y", false), ("+/+", "/", true),
    ])
  func `two filters have a topic in common`(_ one: String, _ other: String, _ expected: Bool) throws {
    for (stored, asked) in [(one, other), (other, one)] {
      var trie = FilterTrie<Int>()
      trie[try TopicFilter(stored)] = 1
      #expect(try trie.firstOverlap(with: TopicFilter(asked)) == (expected ? 1 : nil))
    }
  }

  @Test(
    arguments: [
      ("a/b", "a/+", false), ("a/+", "a/+", true), ("a/+", "a/#", true), ("a/b", "a/#", false),
      ("é", "e\u{301}", false), ("é", "é", true), ("a", "", false), ("#", "", false), ("+", "", false),
      ("/", "/", true), ("a/#", "a", true), ("a", "a/", false), ("$share/g/a/+", "a/b", true),
    ])
  func `a topic is taken byte by byte, wildcards in it are plain`(
    _ name: String, _ topic: String, _ expected: Bool
  ) throws {
    var trie = FilterTrie<Int>()
    let filter = try TopicFilter(name)
    trie[filter] = 1
    var count = 0
    trie.forEachMatch(topic) { count += $0 }
    #expect(count == (expected ? 1 : 0))
    #expect(filter.matches(topic) == expected)
  }

  @Test func `a filter has one element, by its pattern`() throws {
    var trie = FilterTrie<String>()
    trie[try TopicFilter("a/+")] = "first"
    trie[try TopicFilter("$share/g/a/+")] = "second"
    #expect(trie.count == 1)
    #expect(try trie[TopicFilter("a/+")] == "second")
    #expect(try trie[TopicFilter("a/b")] == nil)
    #expect(try trie[TopicFilter("a/+/#")] == nil)
    #expect(try trie[TopicFilter("a")] == nil)
    trie[try TopicFilter("a")] = nil
    #expect(trie.count == 1)
    trie[try TopicFilter("a/+")] = nil
    #expect(trie.count == 0)
    #expect(try trie[TopicFilter("a/+")] == nil)
  }

  @Test func `a copy is not changed by what happens to the original`() throws {
    var trie = FilterTrie<Int>()
    trie[try TopicFilter("a/#")] = 1
    let copy = trie
    trie[try TopicFilter("a/b")] = 2
    trie[try TopicFilter("a/#")] = nil
    var found: [Int] = []
    copy.forEachMatch("a/b") { found.append($0) }
    #expect(found == [1])
  }

  @Test func `the deepest filter and the longest topic are no trouble`() throws {
    var trie = FilterTrie<Int>()
    trie[try TopicFilter(String(repeating: "+/", count: 200) + "#")] = 1
    trie[try TopicFilter(String(repeating: "/", count: 200))] = 2
    for (slashes, expected) in [(198, []), (199, [1]), (200, [1, 2]), (201, [1]), (65_534, [1])] {
      var found: [Int] = []
      trie.forEachMatch(String(repeating: "/", count: slashes)) { found.append($0) }
      #expect(found.sorted() == expected, "\(slashes) slashes")
    }
  }

  @Test func `filters that come and go leave nothing behind`() throws {
    var trie = FilterTrie<Int>()
    trie[try TopicFilter("always/here")] = 0
    func churn(_ round: Int) throws -> [Int] {
      let filters = try (0..<50).flatMap { number in
        try ["a\(round)/b\(number)/c", "a\(number)/+/d\(round)", "a\(number)/b\(round)/#"].map(
          TopicFilter.init)
      }
      for filter in filters { trie[filter] = round }
      for filter in filters { trie[filter] = nil }
      return trie.tree.read { [$0.nodes.count, $0.slots.count, $0.bytes.count] } + [trie.elements.count]
    }
    var largest = try churn(0)
    for round in 1..<40 { largest = try zip(largest, churn(round)).map(max) }
    for round in 40..<200 {
      let size = try churn(round)
      #expect(
        zip(size, largest).allSatisfy { $0 <= $1 + 1_100 }, "\(size) after round \(round), once \(largest)")
    }
    #expect(trie.count == 1)
    trie[try TopicFilter("always/here")] = nil
    #expect(trie.tree.read { $0.nodes.count } == 1)
    #expect(trie.elements.isEmpty)
  }

  // MARK: Walking

  private func someFilters(_ dice: inout Dice) -> (FilterTrie<Int>, [Int]) {
    var trie = FilterTrie<Int>()
    var members: [Int] = []
    for _ in 0..<dice.pick([0, 3, 10, 40]) {
      let filter = dice.roll(universe.filters.count)
      trie[universe.filters[filter]] = filter
      if !members.contains(filter) { members.append(filter) }
    }
    return (trie, members)
  }

  /// Takes one out or puts one in.
  private func change(_ trie: inout FilterTrie<Int>, _ members: inout [Int], _ dice: inout Dice) {
    if !members.isEmpty, dice.chance(50) {
      let filter = members.remove(at: dice.roll(members.count))
      trie[universe.filters[filter]] = nil
    } else {
      let filter = dice.roll(universe.filters.count)
      trie[universe.filters[filter]] = filter
      if !members.contains(filter) { members.append(filter) }
    }
  }
}
