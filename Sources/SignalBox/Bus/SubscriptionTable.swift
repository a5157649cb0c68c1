import MQTT

/// What the broker shall have from us, and what it has, as a pure value type with one writer.
///
/// Intents (``join(_:_:_:)``, ``leave(_:_:now:)``) change what is *wanted*; the difference to what is *actual* comes
/// out of ``plan(at:)`` as packets to send. For each filter at most one packet is under way, and its answer starts the
/// next comparison, so any interleaving of intents, answers and broken links ends in the last intent. Each time that
/// somebody begins to want a filter it has a new identifier and a new `Owner`; what the broker has under an older one is
/// not what is wanted.
///
/// Where the broker knows no identifiers (MQTT 3.1.1), filters that a wider one covers are not sent: see
/// `SubscriptionTable+Covering.swift`.
struct SubscriptionTable<Owner> {
  typealias Instant = ContinuousClock.Instant

  /// What the broker is to send of what it has in store.
  enum Replay: Equatable {
    case all
    case ifNew
    case nothing
  }

  enum Action: Equatable {
    case subscribe(TopicFilter, QoS, identifier: UInt32, Replay)
    case unsubscribe(TopicFilter)
  }

  struct Plan {
    /// The packets to send.
    var actions: [Action] = []
    /// Those who can't have what they want beside what others have: a shared filter, or one that overlaps it.
    var conflicts: [(filter: TopicFilter, with: TopicFilter, owner: Owner)] = []
    /// Those who are served by what a wider filter gets, from now on.
    var covered: [(owner: Owner, by: Owner)] = []
  }

  /// What a refusal means.
  enum Refusal {
    /// Those who listen are told, and the next subscriber tries again.
    case all(Owner)
    /// Those who asked for more than this are told; for the others nothing changes.
    case above(QoS, Owner)
    case nobody
  }

  /// Requests that come within this time of the last ones go out together.
  static var coalescing: Duration { .milliseconds(10) }

  /// How many links in a row the broker has to end at the SUBSCRIBE of one filter alone.
  static var lonelyBreaksLimit: Int { 3 }

  /// How many requests may be under way at once: message ids are few, and brokers have limits.
  static var maximumInFlight: Int { 1_000 }

  let linger: Duration
  /// Whether filters are covered by wider ones, since the broker knows no identifiers.
  var covers = false
  private(set) var entries: [TopicFilter: Entry] = [:]
  /// The filters that somebody wants, by identifier.
  private var owners: [UInt32: Owner] = [:]
  private(set) var isConnected = false
  /// The wanted filters, where they may cover each other; not the shared ones.
  private(set) var wider = FilterTrie<TopicFilter>()
  /// The wanted shared ones.
  private(set) var shared: Set<TopicFilter> = []
  /// What nobody wants any more, but what covers others until they have their own.
  private var retiring: Set<TopicFilter> = []
  private var former = FormerIdentifiers()
  private var dirty: [TopicFilter] = []
  /// What waits until nothing is under way, since it is not to be asked for together with that.
  private var held: [TopicFilter] = []
  /// How many may be under way, as long as suspects are.
  private var room = Int.max
  /// Those that somebody began to want since the last ``plan(at:)``, where a wider one may serve them at once.
  private var arrivals: [TopicFilter] = []
  private var lastIdentifier: UInt32 = 0
  private var highestIdentifier: UInt32 = 0
  private var lastPlan: Instant?
  /// How many requests are under way.
  private var inFlight = 0
  /// Those that nobody listens to any more.
  private var lingering = LingerQueue()

  init(linger: Duration) {
    self.linger = linger
  }

  subscript(filter: TopicFilter) -> Entry? { entries[filter] }

  /// Whose messages with `identifier` are: also those under an earlier identifier of a filter that is wanted again.
  func owner(of identifier: UInt32) -> Owner? {
    owners[identifier] ?? former[identifier].flatMap { entries[$0]?.owner }
  }

  /// Whether `identifier` is or was ours. A broker may send what it has in its queues long after the UNSUBACK
  /// (MQTT 5, 3.10.4): where that has no owner, it is nobody's, and others whose filters match have copies of their own.
  func isOurs(_ identifier: UInt32) -> Bool { identifier <= highestIdentifier }

  /// Those of all that is wanted.
  var allOwners: some Collection<Owner> { owners.values }

  /// Whether it is about to be compared.
  func isDue(_ filter: TopicFilter) -> Bool { entries[filter]?.isDirty ?? false }

  // MARK: Intents

  /// Somebody listens to `filter` from now on; `makeOwner` is called with the identifier when nobody did before.
  mutating func join(_ filter: TopicFilter, _ qos: QoS, _ makeOwner: (UInt32) -> Owner) -> Owner {
    if let index = entries.index(forKey: filter), let known = entries.values[index].join(qos) {
      if known.isMore { changed(filter) }
      return known.owner
    }
    var entry = entries[filter] ?? Entry()
    entry.identifier = nextIdentifier()
    entry.generation += 1
    entry.wanted = qos
    entry.observers = 1
    (entry.lingersUntil, entry.coveredBy) = (nil, nil)
    let owner = makeOwner(entry.identifier)
    entry.owner = owner
    owners[entry.identifier] = owner
    entries[filter] = entry
    enter(filter)
    changed(filter)
    if covers, isConnected { arrivals.append(filter) }
    return owner
  }

  /// One of those who listen to what has `identifier` goes, if others stay. Whether that was so.
  mutating func leaveToOthers(_ filter: TopicFilter, _ identifier: UInt32) -> Bool {
    entries.index(forKey: filter).map { entries.values[$0].leaveToOthers(identifier) } ?? false
  }

  /// One of those who listen to what has `identifier` goes. Gives the owner that nobody needs any more.
  mutating func leave(_ filter: TopicFilter, _ identifier: UInt32, now: Duration) -> Owner? {
    guard let index = entries.index(forKey: filter), entries.values[index].identifier == identifier,
      entries.values[index].observers > 0
    else { return nil }
    entries.values[index].observers -= 1
    guard entries.values[index].observers == 0 else { return nil }
    if linger <= .zero { return unwant(filter) }
    if linger < .seconds(Int64.max / 4) {
      let until = now + linger
      entries.values[index].lingersUntil = until
      if !entries.values[index].isQueuedForLinger {
        entries.values[index].isQueuedForLinger = true
        lingering.add(filter, until)
      }
    }
    return nil
  }

  /// When ``lingered(now:)`` is due.
  var lingerDeadline: Duration? { lingering.deadline }

  /// Gives up what nobody came back to, and gives its owners.
  mutating func lingered(now: Duration) -> [Owner] {
    var gone: [Owner] = []
    for filter in lingering.takeDue(now) {
      entries[filter]?.isQueuedForLinger = false
      guard let until = entries[filter]?.lingersUntil else { continue }
      if until <= now {
        unwant(filter).map { gone.append($0) }
      } else {
        // Somebody came and went meanwhile.
        entries[filter]!.isQueuedForLinger = true
        lingering.add(filter, until)
      }
    }
    return gone
  }

  /// Nobody wants `filter` any more, whoever listens.
  @discardableResult
  mutating func unwant(_ filter: TopicFilter) -> Owner? {
    guard var entry = entries[filter], let owner = entry.owner else { return nil }
    owners[entry.identifier] = nil
    if entry.actual != .none { former.add(entry.identifier, filter) }
    (entry.owner, entry.wanted, entry.observers, entry.lingersUntil) = (nil, nil, 0, nil)
    entries[filter] = entry
    if filter.sharedGroup == nil { wider[filter] = nil } else { shared.remove(filter) }
    // While there is no link nothing else would let go of it.
    if !isConnected, entry.actual == .none { entries[filter] = nil } else { changed(filter) }
    return owner
  }

  private mutating func enter(_ filter: TopicFilter) {
    if filter.sharedGroup != nil { shared.insert(filter) } else if covers { wider[filter] = filter }
  }

  /// Nobody wants anything any more. Gives all owners.
  mutating func unwantAll() -> [Owner] {
    entries.keys.compactMap { unwant($0) }
  }

  // MARK: The link

  /// The broker accepted a connection. `covers`: it knows no identifiers.
  mutating func linkOpened(sessionPresent: Bool, covers: Bool) {
    isConnected = true
    lastPlan = nil
    if covers != self.covers {
      self.covers = covers
      wider = FilterTrie()
      if covers {
        for (filter, entry) in entries where entry.wanted != nil { enter(filter) }
      }
    }
    if !sessionPresent { former = FormerIdentifiers() }
    forEachEntry { _, entry in
      if !sessionPresent { entry.actual = .none }
      entry.wasUnanswered = false
      entry.isDirty = true
    }
    // Where there is an order, the older ones go first: who came later gives way. Suspects might end the link.
    dirty = entries.map { (filter: $0.key, company: $0.value.company, identifier: $0.value.identifier) }
      .sorted { ($1.company, $0.identifier) < ($0.company, $1.identifier) }
      .map(\.filter)
  }

  /// The link broke: answers that are under way will not come, and what the broker has depends on its session. Gives
  /// whose filter the broker will not be asked for, because that ends its links.
  ///
  /// Some brokers close the link instead of refusing a SUBSCRIBE: asked for all that is wanted again and again, they would
  /// do so for ever, and nobody had anything. So what was under way when `byBroker` the link ended is suspected. The
  /// next time suspects go after all others, in groups of an eighth; and the one that is alone under way when that
  /// happens three times in a row is guilty. An answer shows innocence.
  mutating func linkClosed(byBroker: Bool) -> [(filter: TopicFilter, owner: Owner)] {
    isConnected = false
    (inFlight, room, arrivals) = (0, .max, [])
    retiring = []
    forgetChanges()
    var asked: [TopicFilter] = []
    forEachEntry { filter, entry in
      if case .subscribing = entry.actual { asked.append(filter) }
      if entry.actual != .none { entry.actual = .unsure }
    }
    guard byBroker else { return [] }
    for filter in asked {
      entries[filter]!.company = max(1, asked.count / 8)
      entries[filter]!.lonelyBreaks = asked.count == 1 ? entries[filter]!.lonelyBreaks + 1 : 0
    }
    let guilty = asked.filter { entries[$0]!.lonelyBreaks >= Self.lonelyBreaksLimit }
    return guilty.compactMap { filter in
      entries[filter]!.lonelyBreaks = 0
      return unwant(filter).map { (filter, $0) }
    }
  }

  /// The broker has nothing of ours any more, and never will again by itself.
  mutating func sessionEnded() {
    former = FormerIdentifiers()
    for (filter, entry) in entries {
      entries[filter]!.actual = .none
      if entry.wanted == nil { entries[filter] = nil }
    }
  }

  /// Changes entries in their places: a loop over the dictionary would keep, and so make, a copy of it.
  private mutating func forEachEntry(_ change: (TopicFilter, inout Entry) -> Void) {
    var index = entries.startIndex
    while index != entries.endIndex {
      change(entries.keys[index], &entries.values[index])
      entries.formIndex(after: &index)
    }
  }

  /// When a link opens, all is compared.
  private mutating func forgetChanges() {
    for filter in dirty + held { entries[filter]?.isDirty = false }
    (dirty, held) = ([], [])
  }

  /// One answer less is to come.
  private mutating func answered(_ filter: TopicFilter) {
    (entries[filter]!.company, entries[filter]!.lonelyBreaks) = (.max, 0)
    arrived()
  }

  private mutating func arrived() {
    inFlight -= 1
    guard inFlight == 0 else { return }
    room = .max
    if held.isEmpty { return }
    dirty = held + dirty
    held = []
  }

  /// The broker accepted the subscription that was under way.
  mutating func granted(_ filter: TopicFilter, _ granted: QoS) {
    guard let index = entries.index(forKey: filter),
      case .subscribing(let identifier, let qos, _) = entries.values[index].actual
    else { return }
    answered(filter)
    entries.values[index].actual = .subscribed(identifier, qos, granted: granted)
    changed(filter)
  }

  /// The broker refused it.
  mutating func refused(_ filter: TopicFilter) -> Refusal {
    guard case .subscribing(let identifier, let qos, let over)? = entries[filter]?.actual else {
      return .nobody
    }
    answered(filter)
    defer { changed(filter) }
    if case .lower(let former) = over {
      entries[filter]!.actual = .subscribed(identifier, former, granted: former)
      // Those who have come since all others went will ask for themselves.
      guard entries[filter]!.identifier == identifier, entries[filter]!.wanted == qos,
        let owner = entries[filter]!.owner
      else { return .nobody }
      entries[filter]!.wanted = former
      return .above(former, owner)
    }
    entries[filter]!.actual = over == .unknown ? .unsure : .none
    guard entries[filter]!.identifier == identifier, let owner = unwant(filter) else { return .nobody }
    return .all(owner)
  }

  /// No answer came in time: ask again.
  mutating func unanswered(_ filter: TopicFilter) {
    switch entries[filter]?.actual {
    case .subscribing, .unsubscribing:
      arrived()
      entries[filter]!.actual = .unsure
      entries[filter]!.wasUnanswered = true
      changed(filter)
    default: break
    }
  }

  /// The broker confirmed the unsubscription that was under way.
  mutating func unsubscribed(_ filter: TopicFilter) {
    guard entries[filter]?.actual == .unsubscribing else { return }
    arrived()
    entries[filter]!.actual = .none
    changed(filter)
  }

  // MARK: The difference

  /// Whether ``plan(at:)`` will have something to send without another change.
  var isPlanDue: Bool { isConnected && !dirty.isEmpty && inFlight < Self.maximumInFlight }

  /// When that will be.
  var deadline: Instant? {
    isPlanDue ? lastPlan.map { $0 + Self.coalescing } ?? .now : nil
  }

  /// What is to be sent now: at once after quiet, and within ``coalescing`` of the last time nothing.
  mutating func plan(at now: Instant) -> Plan {
    var plan = Plan()
    guard isConnected, !dirty.isEmpty else { return plan }
    // For these nothing has to be sent.
    for filter in arrivals {
      guard let entry = entries[filter], conflict(of: filter, entry) == nil else { continue }
      note(cover(of: filter, entry), of: filter, entry, &plan)
    }
    arrivals = []
    if let lastPlan, now < lastPlan + Self.coalescing { return plan }
    lastPlan = now
    // What is decided for one filter may make others due.
    var index = 0
    while index < dirty.count, inFlight < Self.maximumInFlight {
      let filter = dirty[index]
      index += 1
      entries[filter]?.isDirty = false
      guard let action = decide(filter, &plan) else { continue }
      inFlight += 1
      plan.actions.append(action)
    }
    // Many may have been due after a link opened: their place is not kept.
    if index == dirty.count { dirty = [] } else { dirty.removeFirst(index) }
    return plan
  }

  private mutating func decide(_ filter: TopicFilter, _ plan: inout Plan) -> Action? {
    guard let entry = entries[filter] else { return nil }
    if entry.wanted == nil, entry.actual == .none {
      entries[filter] = nil
      retiring.remove(filter)
      return nil
    }
    if covers, let other = conflict(of: filter, entry), let owner = unwant(filter) {
      plan.conflicts.append((filter, other, owner))
      return nil
    }
    let cover = cover(of: filter, entry)
    note(cover, of: filter, entry, &plan)
    switch (cover.isCovered ? nil : entry.wanted, entry.actual) {
    case (_, .subscribing), (_, .unsubscribing), (nil, .none):
      return nil
    case (let wanted?, .subscribed(entry.identifier, let asked, _)):
      guard asked < wanted else { return nil }
      if hold(filter, entry) { return nil }
      entries[filter]!.actual = .subscribing(entry.identifier, wanted, over: .lower(asked))
      return .subscribe(filter, wanted, identifier: entry.identifier, .nothing)
    case (let wanted?, .none), (let wanted?, .unsure), (let wanted?, .subscribed):
      // A wider one is on its way, and may do.
      if case .undecided = cover { return nil }
      if hold(filter, entry) { return nil }
      entries[filter]!.actual = .subscribing(
        entry.identifier, wanted, over: entry.actual == .none ? .nothing : .unknown)
      let replay: Replay = entry.wasUnanswered && entry.actual == .unsure ? .ifNew : .all
      return .subscribe(filter, wanted, identifier: entry.identifier, replay)
    case (nil, .subscribed), (nil, .unsure):
      if isStillNeeded(filter) {
        retiring.insert(filter)
        return nil
      }
      retiring.remove(filter)
      entries[filter]!.actual = .unsubscribing
      return .unsubscribe(filter)
    }
  }

  /// Whether it has to wait for what is under way, for its own sake or for that of others. What waits keeps its turn.
  private mutating func hold(_ filter: TopicFilter, _ entry: Entry) -> Bool {
    let isSuspect = entry.company < .max
    if !held.isEmpty || inFlight >= min(room, entry.company) || isSuspect && inFlight > 0 && room == .max {
      entries[filter]!.isDirty = true
      held.append(filter)
      return true
    }
    room = min(room, entry.company)
    return false
  }

  /// Who is covered by another wider one than before is served by what that one has got.
  private mutating func note(_ cover: Cover, of filter: TopicFilter, _ entry: Entry, _ plan: inout Plan) {
    guard case .covered(let wider) = cover, let owner = entry.owner,
      entry.coveredBy != entries[wider]?.identifier
    else { return }
    entries[filter]!.coveredBy = entries[wider]?.identifier
    if let by = entries[wider]?.owner { plan.covered.append((owner, by)) }
  }

  /// `filter` is compared again, and those for whom it makes a difference.
  private mutating func changed(_ filter: TopicFilter) {
    guard isConnected else { return }
    mark(filter)
    guard covers, Self.canBeCovered(filter) else { return }
    var others: [TopicFilter] = []
    wider.forEachWider(than: filter) { others.append($0) }
    wider.forEachNarrower(than: filter) { others.append($0) }
    for other in others { mark(other) }
    for other in retiring { mark(other) }
  }

  private mutating func mark(_ filter: TopicFilter) {
    guard let index = entries.index(forKey: filter), !entries.values[index].isDirty else { return }
    entries.values[index].isDirty = true
    dirty.append(filter)
  }

  /// From 1 to 268,435,455 (MQTT 5, 3.8.2.1.2); one comes again only after all others were used.
  private mutating func nextIdentifier() -> UInt32 {
    repeat {
      lastIdentifier = lastIdentifier % 268_435_455 + 1
    } while owners[lastIdentifier] != nil || former[lastIdentifier] != nil
    highestIdentifier = max(highestIdentifier, lastIdentifier)
    return lastIdentifier
  }
}
