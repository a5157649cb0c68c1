import Fuzzing
import Testing

@testable import MQTT

struct OutboxExpiryTests {
  private let start = ContinuousClock.now

  private func outbox(count: Int = 100) -> Outbox<Int> { Outbox(limits: .init(count: count, bytes: 1 << 40)) }

  private func publish(
    _ topic: String = "t", _ qos: QoS = .atLeastOnce, after expiry: Duration?, conflates: Bool = false
  ) throws -> Publish {
    Publish(
      try Topic(topic), "", qos: qos, conflates: conflates, queuesOffline: true,
      properties: .init(expiry: expiry))
  }

  private func take(_ outbox: inout Outbox<Int>, at now: ContinuousClock.Instant) -> [Outbox<Int>.Entry] {
    var batch: [Outbox<Int>.Entry] = []
    outbox.take(room: 100, count: 100, bytes: .max, at: now, into: &batch)
    return batch
  }

  @Test("What has expired leaves in the order of its deadlines and makes room; the rest stays in its order")
  func expires() throws {
    var outbox = outbox(count: 4)
    for (token, seconds) in [3, nil, 1, 2].enumerated() {
      let publish = try publish(after: seconds.map { .seconds($0) })
      _ = outbox.offer(publish, token: token, isOnline: false, at: start)
    }
    #expect(outbox.nextExpiry == start + .seconds(1))
    #expect(outbox.expire(at: start + .milliseconds(999)).isEmpty)
    #expect(outbox.expire(at: start + .seconds(2)) == [2, 3])
    #expect(outbox.nextExpiry == start + .seconds(3))
    guard case .queued = outbox.offer(try publish(after: nil), token: 4, isOnline: false, at: start) else {
      return #expect(Bool(false), "what has expired still takes room")
    }
    #expect(take(&outbox, at: start).map(\.token) == [0, 1, 4])
    #expect(outbox.nextExpiry == nil && outbox.bytes == 0)
  }

  @Test("What is sent carries the time that is left, in whole seconds rounded up")
  func timeLeft() throws {
    var outbox = outbox()
    _ = outbox.offer(try publish(after: .seconds(10)), token: 0, isOnline: true, at: start)
    let entries = take(&outbox, at: start + .milliseconds(2_001))
    #expect(entries[0].publish.properties.expiry?.wholeSeconds == 8)
    // Once more after the link broke.
    _ = outbox.putBack(entries)
    #expect(outbox.nextExpiry == start + .seconds(10))
    let again = take(&outbox, at: start + .seconds(9))
    #expect(again[0].publish.properties.expiry?.wholeSeconds == 1)
    _ = outbox.putBack(again)
    #expect(outbox.expire(at: start + .seconds(10)) == [0])
  }

  @Test("Without an expiry nobody looks at the clock")
  func noClock() throws {
    var looks = 0
    func now() -> ContinuousClock.Instant {
      looks += 1
      return start
    }
    var outbox = outbox()
    var batch: [Outbox<Int>.Entry] = []
    _ = outbox.offer(try publish(after: nil), token: 0, isOnline: true, at: now())
    outbox.take(room: 9, count: 9, bytes: 9, at: now(), into: &batch)
    #expect(batch.count == 1 && looks == 0 && outbox.nextExpiry == nil)
  }

  @Test("The longest expiry that can be said does not crash")
  func longest() throws {
    var outbox = outbox()
    _ = outbox.offer(try publish(after: .seconds(Int64.max)), token: 0, isOnline: true, at: start)
    let left = take(&outbox, at: start)[0].publish.properties.expiry
    #expect(left.map { UInt32(clamping: $0.wholeSeconds) } == .max)
  }

  /// One message of the simple outbox that the real one is compared with.
  private struct Waiting {
    var token: Int
    var topic: String
    var conflates: Bool
    var waits: Bool
    var deadline: ContinuousClock.Instant?
  }

  @Test("Over random walks the outbox does what a plain list would")
  func walk() throws {
    var random = Dice(seed: 2)
    let topics = try ["a", "b", "c"].map { try Topic($0) }
    for _ in 0..<100 {
      var outbox = outbox(count: 12)
      var model: [Waiting] = []
      var flying: [Outbox<Int>.Entry] = []
      var now = start
      for token in 0..<150 {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<6:
          let topic = topics[Int.random(in: 0..<3, using: &random)]
          let expiry: Duration? =
            Bool.random(using: &random) ? .seconds(Int.random(in: 1...5, using: &random)) : nil
          let conflates = Bool.random(using: &random)
          let waits = Int.random(in: 0..<4, using: &random) > 0
          let publish = Publish(
            topic, "", qos: .atMostOnce, conflates: conflates, queuesOffline: waits,
            properties: .init(expiry: expiry))
          let older = model.firstIndex { $0.conflates && conflates && $0.topic == topic.name }
          let isFull = model.count - (older == nil ? 0 : 1) >= 12
          switch outbox.offer(publish, token: token, isOnline: true, at: now) {
          case .queued(let superseded):
            #expect(!isFull && superseded == older.map { model[$0].token })
            if let older { model.remove(at: older) }
            model.append(
              Waiting(
                token: token, topic: topic.name, conflates: conflates, waits: waits,
                deadline: expiry.map { now + $0 }))
          case .overflowed: #expect(isFull)
          case .offline: Issue.record("it was online")
          }
        case 6:
          now += .seconds(1)
          let late = model.filter { $0.deadline.map { $0 <= now } ?? false }.map(\.token)
          #expect(outbox.expire(at: now).sorted() == late.sorted())
          model.removeAll { late.contains($0.token) }
        case 7:
          outbox.take(room: 0, count: flying.count + 3, bytes: .max, at: now, into: &flying)
          model.removeFirst(min(3, model.count))
        case 8:
          // What flies goes back in front, but for what a newer one supersedes.
          let superseded = outbox.putBack(flying)
          for entry in flying.reversed() {
            let publish = entry.publish
            if publish.conflates, model.contains(where: { $0.conflates && $0.topic == publish.topic.name }) {
              #expect(superseded.contains(entry.token))
            } else {
              model.insert(
                Waiting(
                  token: entry.token, topic: publish.topic.name, conflates: publish.conflates,
                  waits: publish.queuesOffline, deadline: entry.deadline), at: 0)
            }
          }
          flying = []
        default:
          #expect(outbox.goOffline() == model.filter { !$0.waits }.map(\.token))
          model.removeAll { !$0.waits }
        }
        #expect(outbox.count == model.count)
        #expect(outbox.nextExpiry == model.compactMap(\.deadline).min())
      }
      #expect(outbox.removeAll() == model.map(\.token))
    }
  }
}
