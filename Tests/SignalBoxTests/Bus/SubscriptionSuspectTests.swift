import Fuzzing
import MQTT
import Testing

@testable import SignalBox

/// A broker that ends the link when it is asked for some filters, around a `SubscriptionTable`.
private struct Executioner {
  typealias Table = SubscriptionTable<UInt32>

  var table = Table(linger: .zero)
  let deadly: Set<TopicFilter>
  let hasSession: Bool
  let covers: Bool
  var now = ContinuousClock.now
  var links = 0
  /// How many answers came one after the other: what was sent together counts once.
  var rounds = 0
  /// Whom the table gave up, in that order.
  var guilty: [TopicFilter] = []

  init(_ filters: [TopicFilter], deadly: Set<TopicFilter>, hasSession: Bool = false, covers: Bool = false) {
    (self.deadly, self.hasSession, self.covers) = (deadly, hasSession, covers)
    for filter in filters { _ = table.join(filter, .atLeastOnce) { $0 } }
  }

  /// Links until one holds and there is nothing to send.
  mutating func run() {
    repeat {
      links += 1
      table.linkOpened(sessionPresent: hasSession && links > 1, covers: covers)
    } while links < 200 && !holds()
  }

  private mutating func holds() -> Bool {
    while table.deadline != nil {
      now += Table.coalescing
      let actions = table.plan(at: now).actions
      rounds += 1
      // The broker answers in order, but for what ends it: nothing that was sent with it has an answer.
      if actions.contains(where: { $0.isSubscribe && deadly.contains($0.filter) }) {
        guilty += table.linkClosed(byBroker: true).map(\.filter)
        return false
      }
      for action in actions {
        if action.isSubscribe {
          table.granted(action.filter, .atLeastOnce)
        } else {
          table.unsubscribed(action.filter)
        }
      }
    }
    return true
  }

  var held: Set<TopicFilter> { Set(table.entries.filter { $0.value.granted != nil }.keys) }
}

@Suite(.timeLimit(.minutes(2))) struct SubscriptionSuspectTests {
  private func filters(_ count: Int) throws -> [TopicFilter] {
    try (0..<count).map { try TopicFilter("t/\($0)") }
  }

  @Test(arguments: [1, 2, 9, 100, 1_000], [false, true])
  func `the filter at which the broker ends its links is found, and all others are had`(
    _ count: Int, _ hasSession: Bool
  ) throws {
    let filters = try filters(count)
    var broker = Executioner(filters, deadly: [filters[count / 2]], hasSession: hasSession)
    broker.run()
    #expect(broker.guilty == [filters[count / 2]])
    #expect(broker.held == Set(filters).subtracting(broker.guilty))
    // An eighth each time, and twice alone.
    #expect(broker.links <= 7, "\(broker.links) links")
    #expect(broker.rounds <= 40, "\(broker.rounds) rounds")
  }

  @Test(arguments: [false, true], 0..<40)
  func `any number of them is found, in any order, with and without covering`(covers: Bool, seed: Int) throws
  {
    var dice = Dice(seed: UInt64(seed))
    var filters = try filters(1 + dice.roll(30)) + [TopicFilter("t/#"), TopicFilter("t/+"), TopicFilter("u")]
    filters.shuffle(using: &dice)
    let deadly = Set(filters.filter { _ in dice.chance(20) })
    var broker = Executioner(filters, deadly: deadly, hasSession: dice.chance(50), covers: covers)
    broker.run()
    #expect(broker.links < 200, "it never ends")
    // Where a wider one is had, the broker is not asked for a deadly one.
    #expect(deadly.isSuperset(of: broker.guilty) && Set(broker.guilty).count == broker.guilty.count)
    for filter in filters where !deadly.contains(filter) {
      let entry = try #require(broker.table[filter])
      #expect(entry.granted != nil || broker.table.cover(of: filter, entry).isCovered, "\(filter)")
    }
    if !covers { #expect(Set(broker.guilty) == deadly) }
  }

  @Test func `links that break otherwise, or in between, make nobody guilty`() throws {
    let filter = try TopicFilter("a")
    var table = SubscriptionTable<UInt32>(linger: .zero)
    _ = table.join(filter, .atLeastOnce) { $0 }
    var now = ContinuousClock.now
    func link(_ answers: Bool, byBroker: Bool) -> Int {
      table.linkOpened(sessionPresent: false, covers: false)
      now += .seconds(1)
      #expect(table.plan(at: now).actions.count == 1)
      if answers { table.granted(filter, .atLeastOnce) }
      return table.linkClosed(byBroker: byBroker).count
    }
    for _ in 0..<5 { #expect(link(false, byBroker: false) == 0) }
    for _ in 0..<5 {
      #expect(link(false, byBroker: true) == 0)
      #expect(link(true, byBroker: true) == 0)
    }
    #expect(link(false, byBroker: true) == 0)
    #expect(link(false, byBroker: true) == 1)
    // Who comes later tries again, twice.
    _ = table.join(filter, .atLeastOnce) { $0 }
    #expect(link(false, byBroker: true) == 0)
    #expect(link(false, byBroker: true) == 1)
  }

  @Test func `who comes while suspects are tried gets its turn, and they get theirs`() throws {
    let filters = try filters(3)
    var table = SubscriptionTable<UInt32>(linger: .zero)
    for filter in filters.prefix(2) { _ = table.join(filter, .atLeastOnce) { $0 } }
    var now = ContinuousClock.now
    func plan() -> [TopicFilter] {
      now += .seconds(1)
      return table.plan(at: now).actions.map(\.filter)
    }
    table.linkOpened(sessionPresent: false, covers: false)
    #expect(plan() == Array(filters.prefix(2)))
    #expect(table.linkClosed(byBroker: true).isEmpty)
    table.linkOpened(sessionPresent: false, covers: false)
    #expect(plan() == [filters[0]])
    _ = table.join(filters[2], .atLeastOnce) { $0 }
    #expect(plan().isEmpty)
    // Nothing is due as long as the answer does not come.
    #expect(table.deadline == nil)
    table.unanswered(filters[0])
    #expect(plan() == [filters[1]])
    table.granted(filters[1], .atLeastOnce)
    #expect(plan() == [filters[2]])
    table.granted(filters[2], .atLeastOnce)
    #expect(plan() == [filters[0]])
  }
}
