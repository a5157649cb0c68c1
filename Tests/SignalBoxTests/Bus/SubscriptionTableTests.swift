import MQTT
import Testing

@testable import SignalBox

/// A broker and a network around a `SubscriptionTable`, as a value that a search can copy.
private struct Network {
  var table = SubscriptionTable()
  let filter: TopicFilter
  var isUp = false
  var wanted: QoS?
  /// What the broker has.
  var held: QoS?
  /// The packet that is under way; the table sends at most one a filter.
  var packet: SubscriptionTable.Action?
  /// Whether the broker was asked for what it has in store since somebody began to want it.
  var isAsked = false
  var trace: [String] = []

  enum Step: CaseIterable {
    case want0, want1, unwant, connect, connectWithSession, breakLink, answer, refuse, timeOut
  }

  mutating func perform(_ step: Step) -> Bool {
    trace.append("\(step)")
    switch step {
    case .want0, .want1:
      let qos: QoS = step == .want0 ? .atMostOnce : .atLeastOnce
      if wanted == nil { isAsked = false }
      wanted = max(qos, wanted ?? qos)
      send(table.want(filter, qos))
    case .unwant:
      guard wanted != nil else { return false }
      wanted = nil
      send(table.unwant(filter))
    case .connect, .connectWithSession:
      guard !isUp else { return false }
      isUp = true
      if step == .connect { held = nil }
      for action in table.connected(sessionPresent: step == .connectWithSession) { send(action) }
    case .breakLink:
      guard isUp else { return false }
      isUp = false
      packet = nil
      table.disconnected()
    case .answer:
      guard isUp, let answered = packet else { return false }
      packet = nil
      switch answered {
      case .subscribe(_, let qos, _, _):
        held = qos
        send(table.granted(filter))
      case .unsubscribe:
        held = nil
        send(table.unsubscribed(filter))
      }
    case .refuse:
      guard isUp, case .subscribe = packet else { return false }
      packet = nil
      held = nil
      // The observers of the filter are failed, so nobody wants it.
      wanted = nil
      table.refused(filter)
    case .timeOut:
      guard isUp, packet != nil else { return false }
      packet = nil
      send(table.unanswered(filter))
    }
    return true
  }

  private mutating func send(_ action: SubscriptionTable.Action?) {
    guard let action else { return }
    #expect(isUp, "sent without a connection: \(trace)")
    #expect(packet == nil, "two packets under way: \(trace)")
    packet = action
    if case .subscribe(_, _, _, isRaise: false) = action { isAsked = true }
  }

  /// When it is quiet, the broker has what is wanted, and the table nothing else.
  mutating func settle() {
    if !isUp { _ = perform(.connect) }
    while perform(.answer) {}
    // Never lowered while somebody listens: a higher QoS may stay.
    #expect((held == nil) == (wanted == nil), "\(trace)")
    if let held, let wanted { #expect(held >= wanted, "\(trace)") }
    if wanted != nil { #expect(isAsked, "what is in store went to nobody: \(trace)") }
    #expect(table.entries.count == (wanted == nil ? 0 : 1), "\(trace)")
  }
}

@Suite struct SubscriptionTableTests {
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
    explore(Network(filter: try TopicFilter("a/+")), 6)
    #expect(explored > 10_000)
  }

  @Test func `a second want of the same or a lower QoS sends nothing, a higher one raises`() throws {
    let filter = try TopicFilter("a")
    var table = SubscriptionTable()
    _ = table.connected(sessionPresent: false)
    #expect(table.want(filter, .atMostOnce) == .subscribe(filter, .atMostOnce, identifier: 1, isRaise: false))
    #expect(table.granted(filter) == nil)
    #expect(table.want(filter, .atMostOnce) == nil)
    #expect(
      table.want(filter, .atLeastOnce) == .subscribe(filter, .atLeastOnce, identifier: 1, isRaise: true))
  }

  @Test func `an identifier means its filter as long as the broker may have it, and then nothing`() throws {
    let filter = try TopicFilter("a")
    var table = SubscriptionTable()
    _ = table.connected(sessionPresent: false)
    for round in 1...3 {
      let identifier = UInt32(round)
      #expect(
        table.want(filter, .atMostOnce)
          == .subscribe(filter, .atMostOnce, identifier: identifier, isRaise: false))
      _ = table.granted(filter)
      _ = table.unwant(filter)
      #expect(table.filter(of: identifier) == filter)
      _ = table.unsubscribed(filter)
      #expect(table.filter(of: identifier) == nil)
    }
  }

  @Test func `a want during the unsubscription is sent when that is confirmed`() throws {
    let filter = try TopicFilter("a")
    var table = SubscriptionTable()
    _ = table.connected(sessionPresent: false)
    _ = table.want(filter, .atLeastOnce)
    _ = table.granted(filter)
    #expect(table.unwant(filter) == .unsubscribe(filter))
    #expect(table.want(filter, .atLeastOnce) == nil)
    #expect(
      table.unsubscribed(filter) == .subscribe(filter, .atLeastOnce, identifier: 1, isRaise: false))
  }
}
