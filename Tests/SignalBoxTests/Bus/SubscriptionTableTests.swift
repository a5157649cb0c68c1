import Fuzzing
import MQTT
import Testing

@testable import SignalBox

/// A broker and a network around a `SubscriptionTable`, as a value that a search can copy.
private struct Network {
  typealias Table = SubscriptionTable<Int>
  typealias Instant = ContinuousClock.Instant

  var table: Table
  let filters: [TopicFilter]
  let covers: Bool
  var isUp = false
  /// Who listens, by filter: the highest QoS since somebody does, how many, and whose it is.
  var wanted: [TopicFilter: (qos: QoS, observers: Int, owner: Int)] = [:]
  /// What the broker has.
  var held: [TopicFilter: (qos: QoS, identifier: UInt32)] = [:]
  /// The packets that are under way: the table sends at most one a filter.
  var packets: [Table.Action] = []
  /// For whom the broker was asked for what it has in store since somebody began to listen.
  var asked: Set<TopicFilter> = []
  /// Whom the broker has once served on this link.
  var served: Set<TopicFilter> = []
  var newest = 0
  var now = Instant.now
  var trace: [String] = []

  enum Step: CaseIterable {
    case want0, want1, unwant, connect, connectWithSession, breakLink, endLink, answer, refuse, timeOut, wait
  }

  init(_ names: [String], covers: Bool, linger: Duration = .zero) throws {
    filters = try names.map(TopicFilter.init)
    self.covers = covers
    table = Table(linger: linger)
  }

  mutating func perform(_ step: Step, _ number: Int = 0) -> Bool {
    let filter = filters[number % filters.count]
    trace.append("\(step) \(number)")
    switch step {
    case .want0, .want1: want(filter, step == .want0 ? .atMostOnce : .atLeastOnce)
    case .unwant: return unwant(filter)
    case .connect, .connectWithSession:
      guard !isUp else { return false }
      isUp = true
      served = []
      if step == .connect { held = [:] }
      table.linkOpened(sessionPresent: step == .connectWithSession, covers: covers)
    case .breakLink, .endLink:
      guard isUp else { return false }
      let asked = packets.filter(\.isSubscribe).map(\.filter)
      isUp = false
      packets = []
      let guilty = table.linkClosed(byBroker: step == .endLink)
      if !guilty.isEmpty { #expect(step == .endLink && asked == guilty.map(\.filter), "\(trace)") }
      for (filter, owner) in guilty {
        #expect(owner == wanted[filter]?.owner, "\(trace)")
        wanted[filter] = nil
      }
    case .answer: return answer(number)
    case .refuse: return refuse(number)
    case .timeOut:
      guard isUp, !packets.isEmpty else { return false }
      let packet = packets.remove(at: number % packets.count)
      // The broker may have taken it all the same.
      if number % 2 == 0 { take(packet) }
      table.unanswered(packet.filter)
    case .wait:
      now += Table.coalescing
    }
    plan()
    noteServed()
    return true
  }

  private mutating func want(_ filter: TopicFilter, _ qos: QoS) {
    let before = wanted[filter]
    let owner = table.join(filter, qos) { _ in
      newest += 1
      return newest
    }
    if let before {
      #expect(owner == before.owner, "\(trace)")
      wanted[filter] = (max(qos, before.qos), before.observers + 1, owner)
    } else {
      #expect(owner == newest, "\(trace)")
      asked.remove(filter)
      served.remove(filter)
      wanted[filter] = (qos, 1, owner)
    }
  }

  private mutating func unwant(_ filter: TopicFilter) -> Bool {
    guard var entry = wanted[filter], let identifier = table[filter]?.identifier else { return false }
    entry.observers -= 1
    let gone = table.leave(filter, identifier, now: .zero)
    #expect((gone != nil) == (entry.observers == 0), "\(trace)")
    wanted[filter] = entry.observers == 0 ? nil : entry
    return true
  }

  private mutating func answer(_ number: Int) -> Bool {
    guard isUp, !packets.isEmpty else { return false }
    let packet = packets.remove(at: number % packets.count)
    take(packet)
    switch packet {
    case .subscribe(let filter, let qos, _, _): table.granted(filter, qos)
    case .unsubscribe(let filter): table.unsubscribed(filter)
    }
    return true
  }

  private mutating func take(_ packet: Table.Action) {
    switch packet {
    case .subscribe(let filter, let qos, let identifier, _): held[filter] = (qos, identifier)
    case .unsubscribe(let filter): held[filter] = nil
    }
    for filter in served where wanted[filter] != nil {
      #expect(serves(filter), "\(filter) is no longer served: \(trace)")
    }
  }

  /// Who has been told that it is served must be from then on.
  private mutating func noteServed() {
    for filter in wanted.keys {
      guard let entry = table[filter] else { continue }
      if entry.granted != nil || table.cover(of: filter, entry).isCovered { served.insert(filter) }
    }
  }

  private func serves(_ filter: TopicFilter) -> Bool {
    if held[filter] != nil { return true }
    return covers && filter.sharedGroup == nil
      && held.keys.contains { $0.sharedGroup == nil && $0.covers(filter) }
  }

  private mutating func refuse(_ number: Int) -> Bool {
    guard isUp, !packets.isEmpty,
      case .subscribe(let filter, _, _, let replay) = packets[number % packets.count]
    else { return false }
    packets.remove(at: number % packets.count)
    switch table.refused(filter) {
    case .all(let owner):
      #expect(owner == wanted[filter]?.owner, "\(trace)")
      // Their observers are failed, so nobody wants it.
      wanted[filter] = nil
    case .above(let qos, _):
      #expect(replay == .nothing && wanted[filter]!.qos > qos, "\(trace)")
      wanted[filter]!.qos = qos
    case .nobody: break
    }
    return true
  }

  mutating func plan() {
    let plan = table.plan(at: now)
    for action in plan.actions {
      #expect(isUp, "sent without a connection: \(trace)")
      #expect(!packets.contains { $0.filter == action.filter }, "two packets under way: \(trace)")
      packets.append(action)
      if case .subscribe(let filter, _, _, let replay) = action, replay != .nothing { asked.insert(filter) }
    }
    for (owner, wider) in plan.covered {
      for (filter, entry) in wanted where entry.owner == owner { asked.insert(filter) }
      #expect(wanted.values.contains { $0.owner == wider }, "\(trace)")
    }
    for (filter, _, owner) in plan.conflicts where wanted[filter]?.owner == owner { wanted[filter] = nil }
  }

  /// When it is quiet, the broker has what is wanted, and the table nothing else.
  mutating func settle() {
    if !isUp { _ = perform(.connect) }
    while table.deadline != nil || !packets.isEmpty {
      now += Table.coalescing
      plan()
      _ = answer(0)
    }
    let needed = wanted.filter { filter, entry in
      !covers
        || !wanted.contains { other, widerEntry in
          other != filter && SubscriptionTable<Int>.canBeCovered(filter) && other.sharedGroup == nil
            && other.covers(filter) && widerEntry.qos >= entry.qos
            && (!filter.covers(other) || other.name.count < filter.name.count)
        }
    }
    #expect(Set(held.keys) == Set(needed.keys), "\(trace)")
    for (filter, entry) in needed {
      // Never lowered while somebody listens: a higher QoS may stay.
      #expect((held[filter]?.qos ?? .atMostOnce) >= entry.qos, "\(trace)")
      if !covers { #expect(held[filter]?.identifier == table[filter]?.identifier, "\(trace)") }
    }
    for filter in wanted.keys {
      #expect(asked.contains(filter), "what is in store went to nobody: \(filter) \(trace)")
    }
    #expect(table.entries.count == wanted.count, "\(trace)")
  }
}

extension TopicFilter {
  /// Whether every topic of `other` is one of this filter's.
  fileprivate func covers(_ other: TopicFilter) -> Bool {
    let (mine, others) = (name.split(separator: "/"), other.name.split(separator: "/"))
    if ["+", "#"].contains(mine[0]), others[0].hasPrefix("$") { return false }
    // Every topic has a first level.
    if others == ["#"] { return mine == ["#"] || mine == ["+", "#"] }
    for (index, level) in mine.enumerated() {
      if level == "#" { return true }
      guard index < others.count, others[index] != "#" else { return false }
      if level != "+", level != others[index] { return false }
    }
    return mine.count == others.count
  }
}

extension SubscriptionTable.Action {
  var isSubscribe: Bool { if case .subscribe = self { true } else { false } }

  var filter: TopicFilter {
    switch self {
    case .subscribe(let filter, _, _, _), .unsubscribe(let filter): filter
    }
  }
}

@Suite(.timeLimit(.minutes(2))) struct SubscriptionTableTests {
  @Test func `every short sequence of intents, answers and faults ends in the last intent`() throws {
    var explored = 0
    func explore(_ network: Network, _ depth: Int) {
      var settled = network
      settled.settle()
      explored += 1
      guard depth > 0 else { return }
      for step in Network.Step.allCases {
        var next = network
        if next.perform(step) { explore(next, depth - 1) }
      }
    }
    explore(try Network(["a/+"], covers: false), 6)
    #expect(explored > 5_000, "\(explored)")
  }

  @Test(arguments: [false, true], 0..<400)
  func `any walk over filters that overlap ends in what is wanted, and nobody is without on the way`(
    covers: Bool, seed: Int
  ) throws {
    var dice = Dice(seed: UInt64(seed))
    var network = try Network(
      ["#", "+/#", "a/#", "a/+", "a/b", "+/b", "$SYS/#", "$SYS/x", "b"], covers: covers)
    for _ in 0..<120 {
      let step = Network.Step.allCases.randomElement(using: &dice)!
      // Faults are rarer than intents.
      if [.breakLink, .endLink].contains(step), Int.random(in: 0..<4, using: &dice) > 0 { continue }
      _ = network.perform(step, Int.random(in: 0..<1_000, using: &dice))
    }
    network.settle()
  }

  @Test func `a second want of the same or a lower QoS sends nothing, a higher one raises`() throws {
    var network = try Network(["a"], covers: false)
    _ = network.perform(.connect)
    _ = network.perform(.want0)
    #expect(network.packets == [.subscribe(network.filters[0], .atMostOnce, identifier: 1, .all)])
    network.settle()
    _ = network.perform(.want0)
    _ = network.perform(.wait)
    #expect(network.packets.isEmpty)
    _ = network.perform(.want1)
    #expect(network.packets == [.subscribe(network.filters[0], .atLeastOnce, identifier: 1, .nothing)])
  }

  @Test func `the first SUBSCRIBE after quiet goes at once, those of the next 10 ms together`() throws {
    var table = SubscriptionTable<Int>(linger: .zero)
    var now = ContinuousClock.now
    table.linkOpened(sessionPresent: false, covers: false)
    for index in 0..<5 {
      _ = table.join(try TopicFilter("t/\(index)"), .atMostOnce) { Int($0) }
      #expect(table.plan(at: now).actions.count == (index == 0 ? 1 : 0))
      now += .milliseconds(2)
    }
    #expect(table.deadline == now)
    #expect(table.plan(at: now).actions.count == 4)
    #expect(table.deadline == nil)
  }

  @Test func `no more requests are under way than message ids allow, and all get their turn`() throws {
    var network = try Network((0..<2_500).map { "t/\($0)" }, covers: false)
    for index in 0..<2_500 { _ = network.perform(.want0, index) }
    _ = network.perform(.connect)
    #expect(network.packets.count == SubscriptionTable<Int>.maximumInFlight)
    network.settle()
    #expect(network.held.count == 2_500)
  }

  @Test func `an identifier means its filter, nothing while nobody wants that, and stays ours`() throws {
    var network = try Network(["a"], covers: false)
    _ = network.perform(.connect)
    for identifier in UInt32(1)...3 {
      _ = network.perform(.want0)
      network.settle()
      let owner = network.wanted[network.filters[0]]?.owner
      #expect(network.table.owner(of: identifier) == owner)
      _ = network.perform(.unwant)
      #expect(network.table.owner(of: identifier) == nil && network.table.isOurs(identifier))
      network.settle()
      #expect(network.table.owner(of: identifier) == nil && network.table.isOurs(identifier))
    }
    #expect(!network.table.isOurs(4))
  }

  @Test func `only the last former identifiers are remembered, and none when the session is gone`() throws {
    var network = try Network(["a"], covers: false)
    _ = network.perform(.connect)
    let count = UInt32(FormerIdentifiers.capacity)
    for _ in 0...count {
      _ = network.perform(.want0)
      network.settle()
      _ = network.perform(.unwant)
      network.settle()
    }
    _ = network.perform(.want0)
    network.settle()
    #expect(network.table.owner(of: 1) == nil && network.table.owner(of: 2) != nil)
    #expect(network.table.owner(of: count) != nil)
    for step in [Network.Step.breakLink, .connect] { _ = network.perform(step) }
    #expect(network.table.owner(of: count) == nil && network.table.owner(of: count + 2) != nil)
  }

  @Test func `who comes back gets what comes under the old identifier`()
    throws
  {
    var network = try Network(["a"], covers: false)
    _ = network.perform(.connect)
    _ = network.perform(.want0)
    network.settle()
    _ = network.perform(.unwant)
    _ = network.perform(.want0)
    #expect(network.table.owner(of: 1) == 2 && network.table.owner(of: 2) == 2)
    network.settle()
    #expect(network.table.owner(of: 1) == 2 && network.table.owner(of: 2) == 2)
  }

  @Test func `while a raise is under way, the old QoS serves as before`() throws {
    var network = try Network(["a/#", "a/b"], covers: true)
    _ = network.perform(.connect)
    _ = network.perform(.want0, 0)
    network.settle()
    _ = network.perform(.want0, 1)
    network.settle()
    _ = network.perform(.want1, 0)
    _ = network.perform(.wait)
    let (wide, narrow) = (network.filters[0], network.filters[1])
    #expect(network.packets.count == 1)
    #expect(network.table[wide]?.asked == .atMostOnce && network.table[wide]?.granted == .atMostOnce)
    #expect(network.table.cover(of: narrow, network.table[narrow]!).isCovered)
    // It may do for what wants more.
    _ = network.perform(.want1, 1)
    _ = network.perform(.wait)
    #expect(network.packets.count == 1)
    _ = network.perform(.refuse)
    network.settle()
    #expect(network.held[wide]?.qos == .atMostOnce && network.held[narrow]?.qos == .atLeastOnce)
  }

  @Test func `a refused raise is not of those who came after all whom it was for had gone`() throws {
    var network = try Network(["a"], covers: false)
    _ = network.perform(.connect)
    _ = network.perform(.want0)
    network.settle()
    _ = network.perform(.want1)
    _ = network.perform(.wait)
    _ = network.perform(.unwant)
    _ = network.perform(.unwant)
    _ = network.perform(.want1)
    #expect(network.packets.count == 1)
    _ = network.perform(.refuse)
    #expect(network.table[network.filters[0]]?.wanted == .atLeastOnce)
    network.settle()
    #expect(network.held[network.filters[0]]?.identifier == 2)
  }

  @Test func `a wider filter that is refused leaves those that it would have covered`() throws {
    var network = try Network(["#", "a"], covers: true)
    _ = network.perform(.connect)
    _ = network.perform(.want0, 0)
    _ = network.perform(.want0, 1)
    _ = network.perform(.wait)
    #expect(network.packets.count == 1)
    _ = network.perform(.refuse)
    network.settle()
    #expect(network.held.keys.map(\.name) == ["a"])
  }

  @Test func `in MQTT 3.1.1 a shared filter and one that overlaps it are not had together`() throws {
    var network = try Network(["$share/g/a/#", "a/b", "b"], covers: true)
    _ = network.perform(.connect)
    for number in 0..<3 { _ = network.perform(.want0, number) }
    network.settle()
    #expect(Set(network.held.keys.map(\.name)) == ["$share/g/a/#", "b"])
    var other = try Network(["$share/g/a/#", "a/b", "b"], covers: true)
    _ = other.perform(.connect)
    for number in [1, 0, 2] { _ = other.perform(.want0, number) }
    other.settle()
    #expect(Set(other.held.keys.map(\.name)) == ["a/b", "b"])
  }

  @Test func `without a link, filters that come and go leave nothing behind`() throws {
    var table = SubscriptionTable<Int>(linger: .zero)
    for number in 0..<1_000 {
      let filter = try TopicFilter("t/\(number)")
      _ = table.join(filter, .atMostOnce) { Int($0) }
      #expect(table.leave(filter, UInt32(number + 1), now: .zero) != nil)
    }
    #expect(table.entries.isEmpty)
    let filter = try TopicFilter("a")
    for _ in 0..<2 { _ = table.join(filter, .atMostOnce) { Int($0) } }
    table.linkOpened(sessionPresent: false, covers: false)
    #expect(table.plan(at: .now).actions.map(\.filter) == [filter])
    table.granted(filter, .atMostOnce)
    _ = table.linkClosed(byBroker: false)
    // The broker may have it still.
    for _ in 0..<2 { _ = table.leave(filter, 1_001, now: .zero) }
    #expect(table.entries.count == 1)
    table.sessionEnded()
    #expect(table.entries.isEmpty && table.deadline == nil)
  }

  @Test func `a linger ends when nobody came back, and one who came and went begins it anew`() throws {
    var table = SubscriptionTable<Int>(linger: .seconds(2))
    let filter = try TopicFilter("a")
    let owner = table.join(filter, .atMostOnce) { Int($0) }
    for time in [0, 1] {
      if time > 0 { #expect(table.join(filter, .atMostOnce) { _ in 99 } == owner) }
      #expect(table.leave(filter, 1, now: .seconds(time)) == nil)
    }
    #expect(table.lingerDeadline == .seconds(2))
    #expect(table.lingered(now: .seconds(2)).isEmpty)
    #expect(table.lingerDeadline == .seconds(3))
    #expect(table.lingered(now: .seconds(3)) == [owner])
    #expect(table.lingerDeadline == nil && table.entries.isEmpty)
  }

  @Test func `a linger for ever never ends, and coming and going costs no memory`() throws {
    var endless = SubscriptionTable<Int>(linger: .seconds(Int64.max))
    let filter = try TopicFilter("a")
    _ = endless.join(filter, .atMostOnce) { Int($0) }
    #expect(endless.leave(filter, 1, now: .seconds(5)) == nil && endless.lingerDeadline == nil)
    #expect(endless.lingered(now: .seconds(1_000_000)).isEmpty)
    var table = SubscriptionTable<Int>(linger: .seconds(2))
    for _ in 0..<10_000 {
      _ = table.join(filter, .atMostOnce) { Int($0) }
      _ = table.leave(filter, 1, now: .zero)
    }
    #expect(table.lingered(now: .seconds(2)).count == 1 && table.lingerDeadline == nil)
  }
}
