import Brokers
import Dispatch
import Foundation
import Peers
import Signals
import Testing

@testable import MQTT

@Suite(.timeLimit(.minutes(2)))
struct LaneTests {
  private struct Item: LaneItem {
    var number: Int
    var weight = 10
    var token: Token?

    func undoes(_ earlier: Item) -> Bool { number == -earlier.number }
  }

  /// What an item holds of the user's.
  private final class Token: Sendable {
    private let onEnd: @Sendable () -> Void
    init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
    deinit { onEnd() }
  }

  private func items(_ numbers: some Sequence<Int>) -> [Item] { numbers.map { Item(number: $0) } }

  private func add(_ lane: Lane<Item>, _ numbers: some Sequence<Int>) -> Bool {
    var items = items(numbers)
    defer { #expect(items.isEmpty) }
    return lane.add(&items)
  }

  @Test("Everything is called once, in order, however it comes in", arguments: [1, 63, 64, 65, 1_000])
  func order(_ burst: Int) {
    let lane = Lane<Item>(limits: QueueSize(count: 100_000, bytes: .max))
    var called: [Int] = []
    for round in 0..<5 { #expect(add(lane, round * burst..<(round + 1) * burst)) }
    #expect(lane.level == QueueSize(count: 5 * burst, bytes: 50 * burst))
    #expect(!lane.isIdle && !lane.isInside)
    lane.run({ item in
      called.append(item.number)
      #expect(lane.isInside)
      // What comes meanwhile is this thread's, and comes last.
      if item.number == 0 { #expect(!add(lane, 5 * burst..<6 * burst)) }
    })
    #expect(called == Array(0..<6 * burst))
    #expect(lane.level == QueueSize(count: 0, bytes: 0))
    #expect(lane.isIdle && !lane.isInside)
  }

  @Test("What undoes the item right before it goes with it, and only then")
  func undoing() {
    let lane = Lane<Item>(limits: QueueSize(count: 1_000, bytes: .max))
    _ = add(lane, [1, 2])
    _ = add(lane, [-2, 3])
    #expect(lane.level == QueueSize(count: 2, bytes: 20))
    _ = add(lane, [-1])
    var called: [Int] = []
    lane.run({ item in
      called.append(item.number)
      if item.number == 1 { _ = add(lane, 100...200) }
      // The tail of a backlog counts as well; what is being called does not.
      if item.number == 100 { _ = add(lane, [-200, 7]) }
      if item.number == 7 { _ = add(lane, [-7]) }
    })
    #expect(called == [1, 3, -1] + Array(100...199) + [7, -7])
    #expect(lane.level == QueueSize(count: 0, bytes: 0))
  }

  @Test("Nothing that an item holds is let go under the lock, or kept")
  func release() {
    let lane = Lane<Item>(limits: QueueSize(count: 10_000, bytes: .max))
    let ends = Collector<Int>()
    for count in [1, 10, 500] {
      // Asking the lane in a deinit would hang if its lock were held.
      var items = (0..<count).map { number in
        Item(number: number, token: Token { ends.add(lane.level.count) })
      }
      let before = ends.count
      #expect(lane.add(&items))
      lane.run({ _ in })
      #expect(ends.count - before == count)
      items = (0..<count).map { number in Item(number: number, token: Token { ends.add(lane.level.count) }) }
      #expect(lane.add(&items))
      #expect(lane.abandon { _ in false }.count == count)
      #expect(ends.count - before == 2 * count)
    }
    #expect(lane.level == QueueSize(count: 0, bytes: 0))
  }

  @Test("abandon takes out what is not kept, also of a backlog, and the rest keeps its order")
  func abandons() {
    let lane = Lane<Item>(limits: QueueSize(count: 10_000, bytes: .max))
    _ = add(lane, 0..<300)
    var called: [Int] = []
    lane.run({ item in
      called.append(item.number)
      guard item.number == 10 else { return }
      _ = add(lane, 300..<310)
      #expect(lane.abandon { $0.number % 100 == 5 }.map(\.number) == (64..<310).filter { $0 % 100 != 5 })
      // Without the ten that are done.
      #expect(lane.level == QueueSize(count: 54 + 3, bytes: 570))
    })
    #expect(called == Array(0..<64) + [105, 205, 305])
    #expect(lane.level == QueueSize(count: 0, bytes: 0))
  }

  @Test("A full lane says when it is half empty, once, and only if somebody wanted to know")
  func room() {
    let lane = Lane<Item>(limits: QueueSize(count: 200, bytes: 100_000))
    #expect(lane.room() == QueueSize(count: 200, bytes: 100_000))
    _ = add(lane, 0..<199)
    #expect(lane.room() == QueueSize(count: 1, bytes: 98_010))
    var calls = 0
    lane.run({ _ in }, hasRoom: { calls += 1 })
    #expect(calls == 0)
    _ = add(lane, 0..<300)
    #expect(lane.room() == nil)
    #expect(lane.room() == nil)
    lane.run(
      { _ in },
      hasRoom: {
        calls += 1
        #expect(lane.level.count <= 100 && lane.level.count > 30)
      })
    #expect(calls == 1)
    var heavy = [Item(number: 0, weight: 100_000)]
    _ = lane.add(&heavy)
    #expect(lane.room() == nil)
    lane.run({ _ in }, hasRoom: { calls += 1 })
    #expect(calls == 2 && lane.room()?.bytes == 100_000)
  }

  @Test("Several threads: one has the turn at a time, the order is kept, counts are exact")
  func threads() async throws {
    let lane = Lane<Item>(limits: QueueSize(count: 500, bytes: .max))
    let (count, called, inside) = (20_000, Collector<Int>(), Guarded(0))
    let rooms = DispatchSemaphore(value: 0)
    let failures = Collector<String>()
    let run: @Sendable () -> Void = {
      lane.run(
        { item in
          let others = inside.withLock { inside in
            inside += 1
            return inside
          }
          if others != 1 { failures.add("\(others) threads at once") }
          if !lane.isInside { failures.add("not inside") }
          called.add(item.number)
          if item.number % 97 == 0 { usleep(50) }
          inside.withLock { $0 -= 1 }
        }, hasRoom: { rooms.signal() })
    }
    let isOver = Guarded(false)
    for _ in 0..<3 {
      Thread.detachNewThread {
        while !isOver.withLock({ $0 }) {
          run()
          _ = lane.slow
          lane.time()
          if lane.isInside { failures.add("inside without the turn") }
          usleep(20)
        }
      }
    }
    Thread.detachNewThread {
      var next = 0
      while next < count {
        guard let room = lane.room() else {
          rooms.wait()
          continue
        }
        var items = (next..<min(count, next + min(room.count, 1 + next % 150))).map { Item(number: $0) }
        next += items.count
        if lane.add(&items), next % 3 == 0 { run() }
        if lane.level.count > 500 { failures.add("over the limit") }
      }
    }
    try await eventually("items are missing") { called.count == count }
    isOver.withLock { $0 = true }
    #expect(called.values == Array(0..<count))
    #expect(failures.values == [])
    try await eventually("not idle") { lane.isIdle && lane.level == QueueSize(count: 0, bytes: 0) }
    #expect(lane.slow == nil)
  }

  @Test("A call that lasts is named once it is timed, with a growing time, until the lane is empty")
  func slow() async throws {
    let lane = Lane<Item>(limits: QueueSize(count: 500, bytes: .max))
    let barriers = [Barrier(), Barrier()]
    #expect(add(lane, 0..<4))
    Thread.detachNewThread {
      lane.run({ item in if item.number % 2 == 1 { barriers[item.number / 2].wait() } })
    }
    try await eventually("not begun") { barriers[0].arrived == 1 }
    #expect(lane.slow == nil)
    lane.time()
    try await eventually("not named") { lane.slow?.item.number == 1 }
    let time = try #require(lane.slow?.time)
    try await eventually("the time stands still") { lane.slow.map { $0.time > time } ?? false }
    barriers[0].open()
    try await eventually("the next one is not named") { lane.slow?.item.number == 3 }
    barriers[1].open()
    try await eventually("still named") { lane.isIdle && lane.slow == nil }
    lane.time()
    try await Task.sleep(for: .milliseconds(5))
    #expect(lane.slow == nil)
  }
}
