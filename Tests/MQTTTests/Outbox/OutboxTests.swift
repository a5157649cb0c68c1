import Fuzzing
import Testing

@testable import MQTT

struct OutboxTests {
  private func outbox(count: Int = 100, bytes: Int = 10_000) -> Outbox<Int> {
    Outbox(limits: .init(count: count, bytes: bytes))
  }

  private func publish(
    _ topic: String, _ qos: QoS = .atLeastOnce, bytes: Int = 0, conflates: Bool = false, offline: Bool = false
  ) throws -> Publish {
    Publish(
      try Topic(topic), [UInt8](repeating: 0, count: bytes), qos: qos, conflates: conflates,
      queuesOffline: offline)
  }

  private func take(_ outbox: inout Outbox<Int>, room: FlightRoom = 100, count: Int = 100) -> [Outbox<Int>
    .Entry]
  {
    var batch: [Outbox<Int>.Entry] = []
    outbox.take(room: room, count: count, bytes: .max, into: &batch)
    return batch
  }

  @Test("Messages leave in the order they came in, whatever their QoS")
  func firstInFirstOut() throws {
    var outbox = outbox()
    for index in 0..<10 {
      _ = outbox.offer(
        try publish("t\(index)", index.isMultiple(of: 2) ? .atMostOnce : .atLeastOnce), token: index,
        isOnline: true)
    }
    #expect(take(&outbox).map(\.token) == Array(0..<10))
    #expect(outbox.isEmpty && outbox.bytes == 0)
  }

  @Test("Without room for QoS 1 nothing overtakes it, not even QoS 0")
  func nothingOvertakes() throws {
    var outbox = outbox()
    for (token, qos) in [QoS.atMostOnce, .atLeastOnce, .atLeastOnce, .atMostOnce].enumerated() {
      _ = outbox.offer(try publish("t", qos), token: token, isOnline: true)
    }
    #expect(take(&outbox, room: 1).map(\.token) == [0, 1])
    #expect(!outbox.canSend(room: 0))
    #expect(take(&outbox, room: 0).isEmpty)
    #expect(take(&outbox, room: 1).map(\.token) == [2, 3])
    #expect(!outbox.canSend(room: 100))
  }

  @Test("QoS 2 waits for room of its own, and holds up what comes behind it")
  func exactlyOnceRoom() throws {
    var outbox = outbox()
    let all: [QoS] = [.exactlyOnce, .atLeastOnce, .exactlyOnce, .atLeastOnce, .atMostOnce]
    for (token, qos) in all.enumerated() {
      _ = outbox.offer(try publish("t", qos), token: token, isOnline: true)
    }
    let room = FlightRoom(messages: 10, exactlyOnce: 1)
    #expect(take(&outbox, room: room).map(\.token) == [0, 1])
    #expect(!outbox.canSend(room: FlightRoom(messages: 9, exactlyOnce: 0)))
    #expect(take(&outbox, room: room).map(\.token) == [2, 3, 4])
  }

  @Test("A batch ends at its count and at its bytes, but always has one message")
  func batches() throws {
    var outbox = outbox()
    for token in 0..<4 { _ = outbox.offer(try publish("t", bytes: 99), token: token, isOnline: true) }
    #expect(take(&outbox, count: 2).map(\.token) == [0, 1])
    var batch: [Outbox<Int>.Entry] = []
    outbox.take(room: 10, count: 10, bytes: 1, into: &batch)
    #expect(batch.map(\.token) == [2])
  }

  @Test("A full outbox says so and keeps what it has")
  func bounds() throws {
    var byCount = outbox(count: 2)
    #expect(byCount.offer(try publish("a"), token: 0, isOnline: true).isQueued)
    #expect(byCount.offer(try publish("b"), token: 1, isOnline: true).isQueued)
    guard case .overflowed = byCount.offer(try publish("c"), token: 2, isOnline: true) else {
      return #expect(Bool(false), "the third of two was taken")
    }
    #expect(take(&byCount).map(\.token) == [0, 1])
    #expect(byCount.offer(try publish("c"), token: 3, isOnline: true).isQueued)

    var byBytes = outbox(bytes: 100)
    #expect(byBytes.offer(try publish("a", bytes: 99), token: 0, isOnline: true).isQueued)
    #expect(!byBytes.offer(try publish("b"), token: 1, isOnline: true).isQueued)

    var byProperties = outbox(bytes: 100)
    var large = try publish("a")
    large.properties.userProperties = [.init("name", String(repeating: "v", count: 100))]
    #expect(!byProperties.offer(large, token: 0, isOnline: true).isQueued)
  }

  @Test("A conflating message takes the place of the older one of its topic and waits at the end")
  func conflates() throws {
    var outbox = outbox(count: 3)
    _ = outbox.offer(try publish("p", conflates: true), token: 0, isOnline: false)
    _ = outbox.offer(try publish("p"), token: 1, isOnline: false)
    _ = outbox.offer(try publish("q", conflates: true), token: 2, isOnline: false)
    guard
      case .queued(superseded: 0) = outbox.offer(try publish("p", conflates: true), token: 3, isOnline: false)
    else { return #expect(Bool(false), "a full outbox must still take what makes no more of it") }
    #expect(outbox.count == 3)
    #expect(take(&outbox).map(\.token) == [1, 2, 3])
    guard
      case .queued(superseded: nil) = outbox.offer(
        try publish("p", conflates: true), token: 4, isOnline: true)
    else { return #expect(Bool(false), "what was sent can't be superseded") }
  }

  @Test("A million reports on one topic, offline, take the room of one")
  func conflationIsBounded() throws {
    var outbox = outbox()
    _ = outbox.offer(try publish("first"), token: -1, isOnline: false)
    let report = try publish("p", conflates: true)
    for token in 0..<1_000_000 { _ = outbox.offer(report, token: token, isOnline: false) }
    #expect(outbox.count == 2)
    #expect(take(&outbox).map(\.token) == [-1, 999_999])
  }

  @Test("After a broken link the unacknowledged go first again, in their order")
  func putsBack() throws {
    var outbox = outbox(count: 4)
    for token in 0..<4 { _ = outbox.offer(try publish("t"), token: token, isOnline: true) }
    let flying = take(&outbox, count: 2)
    for token in 4..<6 { _ = outbox.offer(try publish("t"), token: token, isOnline: true) }
    #expect(outbox.putBack(flying).isEmpty)
    #expect(outbox.count == 6, "what was taken once is never refused")
    #expect(take(&outbox).map(\.token) == [0, 1, 2, 3, 4, 5])
  }

  @Test("A conflating message that was on its way gives way to a newer one")
  func putBackGivesWay() throws {
    var outbox = outbox()
    _ = outbox.offer(try publish("p", conflates: true), token: 0, isOnline: true)
    _ = outbox.offer(try publish("q", conflates: true), token: 1, isOnline: true)
    let flying = take(&outbox)
    _ = outbox.offer(try publish("p", conflates: true), token: 2, isOnline: true)
    #expect(outbox.putBack(flying) == [0])
    #expect(take(&outbox).map(\.token) == [1, 2])
  }

  @Test("QoS 0 waits for a connection only when asked to")
  func offline() throws {
    var outbox = outbox()
    guard case .offline = outbox.offer(try publish("a", .atMostOnce), token: 0, isOnline: false) else {
      return #expect(Bool(false), "QoS 0 was queued offline")
    }
    _ = outbox.offer(try publish("a", .atMostOnce), token: 1, isOnline: true)
    _ = outbox.offer(try publish("b", .atMostOnce, offline: true), token: 2, isOnline: true)
    _ = outbox.offer(try publish("c", conflates: true), token: 3, isOnline: true)
    #expect(outbox.goOffline() == [1])
    _ = outbox.offer(try publish("c", conflates: true), token: 4, isOnline: false)
    #expect(outbox.removeAll() == [2, 4])
    #expect(outbox.isEmpty && outbox.bytes == 0)
  }

  @Test("Whatever was queued, taken and put back, a lost link drops all that does not wait, and nothing else")
  func offlineWalks() throws {
    for seed in UInt64(0)..<200 {
      var dice = Dice(seed: seed)
      var outbox = outbox()
      var model: [(token: Int, waits: Bool)] = []
      var flying: [Outbox<Int>.Entry] = []
      for token in 0..<60 {
        switch Int.random(in: 0..<6, using: &dice) {
        case 0:
          let before = flying
          flying += take(&outbox, count: 2)
          model.removeFirst(flying.count - before.count)
        case 1:
          #expect(outbox.putBack(flying).isEmpty)
          model = flying.map { ($0.token, $0.publish.waitsOffline) } + model
          flying = []
        case 2 where token % 5 == 0:
          #expect(outbox.goOffline() == model.filter { !$0.waits }.map(\.token), "seed \(seed)")
          model.removeAll { !$0.waits }
        default:
          let offline = Bool.random(using: &dice)
          let qos: QoS = Bool.random(using: &dice) ? .atMostOnce : .atLeastOnce
          let publish = try publish("t", qos, offline: offline)
          _ = outbox.offer(publish, token: token, isOnline: true)
          model.append((token, publish.waitsOffline))
        }
      }
      #expect(outbox.goOffline() == model.filter { !$0.waits }.map(\.token), "seed \(seed)")
      #expect(outbox.removeAll() == model.filter(\.waits).map(\.token), "seed \(seed)")
    }
  }

  @Test("A link that is lost again and again costs nothing for what waits, however much that is")
  func offlineIsCheap() throws {
    var outbox = outbox(count: 100_000, bytes: .max)
    for token in 0..<100_000 { _ = outbox.offer(try publish("t"), token: token, isOnline: false) }
    let start = ContinuousClock.now
    for _ in 0..<1_000 { #expect(outbox.goOffline().isEmpty) }
    #expect(ContinuousClock.now - start < .seconds(40), "it looks at each of them")
  }
}

extension Outbox.Offer {
  fileprivate var isQueued: Bool {
    if case .queued = self { true } else { false }
  }
}
