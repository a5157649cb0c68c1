import Signals
import Synchronization

/// What a lane can carry.
protocol LaneItem: Sendable {
  /// The bytes that it is counted with.
  var weight: Int { get }
  /// Whether it and `earlier`, right before it, cancel each other out.
  func undoes(_ earlier: Self) -> Bool
}

/// Calls of user code in their order, one after the other, made by whichever thread has the turn.
///
/// The owner of the loop adds what has come and makes the calls itself while they are quick; when the loop was taken
/// from it, it goes on until the lane is empty, and what the new owner adds meanwhile is its work, too.
final class Lane<Item: LaneItem>: Sendable {
  private struct State {
    var waiting: [Item] = []
    /// What the thread that has the turn is at.
    var running: [Item] = []
    var bytes = 0
    var runner: UInt?
    /// Whether the owner of the loop waits for room.
    var isAwaited = false

    var count: Int { waiting.count + running.count }

    /// The next batch; empty when there is none.
    mutating func next() -> [Item] {
      if waiting.count <= Lane.batch {
        swap(&running, &waiting)
      } else {
        running.append(contentsOf: waiting.prefix(Lane.batch))
        waiting.removeFirst(Lane.batch)
      }
      runner = running.isEmpty ? nil : currentThread
      return running
    }
  }

  /// How much a thread takes at once; it is let go only when all of it is done.
  private static var batch: Int { 64 }

  private let limits: QueueSize
  private let state = Lock(State())
  /// Which of the running items is being called.
  private let position = Atomic<Int>(0)
  /// Whether somebody wants to know how long a call takes.
  private let isTimed = Atomic<Bool>(false)
  /// When the present call began, in nanoseconds since `start`; 0: not known.
  private let began = Atomic<Int64>(0)
  private let start = ContinuousClock.now

  init(limits: QueueSize) {
    self.limits = limits
  }

  // MARK: The owner of the loop

  /// Adds `items`, whatever the limits say, and empties it. True when the caller has to ``run(_:)``.
  func add(_ items: inout [Item]) -> Bool {
    let bytes = items.reduce(0) { $0 + $1.weight }
    return state.withLock { state in
      state.bytes += bytes
      if let first = items.first, let last = state.waiting.last, first.undoes(last) {
        state.waiting.removeLast()
        items.removeFirst()
      }
      if state.waiting.isEmpty { swap(&state.waiting, &items) } else { state.waiting += items }
      items.removeAll(keepingCapacity: true)
      return state.runner == nil && !state.waiting.isEmpty
    }
  }

  /// How many items, and bytes of them, may still be added; `nil` when it is full, and then ``run(_:)`` says when it
  /// is no longer.
  func room() -> QueueSize? {
    state.withLock { state in
      let count = limits.count - state.count
      let bytes = limits.bytes - state.bytes
      if count > 0, bytes > 0 { return QueueSize(count: count, bytes: bytes) }
      state.isAwaited = true
      return nil
    }
  }

  /// Begins to note how long calls take, since the present one takes long.
  func time() {
    began.store(elapsed, ordering: .relaxed)
    isTimed.store(true, ordering: .relaxed)
  }

  // MARK: Whoever has the turn

  /// Calls all that waits; nothing while another thread does. `hasRoom` is called when a full lane is half empty.
  func run(_ call: (Item) -> Void, hasRoom: () -> Void = {}) {
    var items = state.withLock { $0.runner == nil ? $0.next() : [] }
    while !items.isEmpty {
      var bytes = 0
      for (index, item) in items.enumerated() {
        position.store(index, ordering: .relaxed)
        if isTimed.load(ordering: .relaxed) { began.store(elapsed, ordering: .relaxed) }
        bytes += item.weight
        call(item)
      }
      began.store(0, ordering: .relaxed)
      state.withLock { $0.running = [] }
      // Here, because what an item holds is the user's. The storage goes back and forth between the two sides.
      items.removeAll(keepingCapacity: items.capacity <= 4 * Self.batch)
      let hasNewRoom = state.withLock { state in
        swap(&state.running, &items)
        items = state.next()
        state.bytes -= bytes
        guard state.isAwaited, state.count <= limits.count / 2, state.bytes <= limits.bytes / 2 else {
          return false
        }
        state.isAwaited = false
        return true
      }
      if hasNewRoom { hasRoom() }
    }
    isTimed.store(false, ordering: .relaxed)
  }

  // MARK: Any thread

  /// How much waits or is being called.
  var level: QueueSize {
    state.withLock { QueueSize(count: $0.count, bytes: $0.bytes) }
  }

  /// Whether nothing waits and nobody is at it.
  var isIdle: Bool {
    state.withLock { $0.runner == nil && $0.waiting.isEmpty }
  }

  /// Whether this thread is inside one of its calls.
  var isInside: Bool {
    state.withLock { $0.runner == currentThread }
  }

  /// Takes out what waits and is not `kept`.
  func abandon(keeping kept: (Item) -> Bool) -> [Item] {
    state.withLock { state in
      let all = state.waiting
      state.waiting = all.filter(kept)
      state.bytes -= all.reduce(0) { $0 + $1.weight } - state.waiting.reduce(0) { $0 + $1.weight }
      return all
    }
  }

  /// What is being called and for how long, if that is known to be long.
  var slow: (item: Item, time: Duration)? {
    let began = began.load(ordering: .relaxed)
    guard began > 0 else { return nil }
    let item = state.withLock { state in
      let index = position.load(ordering: .relaxed)
      return state.running.indices.contains(index) ? state.running[index] : nil
    }
    return item.map { ($0, .nanoseconds(max(0, elapsed - began))) }
  }

  private var elapsed: Int64 {
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    return max(1, seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}
