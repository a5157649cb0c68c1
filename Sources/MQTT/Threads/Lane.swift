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
    /// What waits longer than `waiting`, the oldest last: the rest of what was too much for one batch.
    var backlog: [Item] = []
    /// What the thread that has the turn is at.
    var running: [Item] = []
    var bytes = 0
    var hasRunner = false
    /// Whether the owner of the loop waits for room.
    var isAwaited = false

    var isEmpty: Bool { waiting.isEmpty && backlog.isEmpty }
    var count: Int { waiting.count + backlog.count + running.count }
    var last: Item? { waiting.last ?? backlog.first }

    mutating func removeLast() {
      if waiting.isEmpty { backlog.removeFirst() } else { waiting.removeLast() }
    }

    /// Moves the next batch to `running`.
    mutating func next() {
      if backlog.isEmpty {
        if waiting.count <= Lane.batch { return swap(&running, &waiting) }
        backlog = waiting.reversed()
        waiting = []
      }
      for _ in 0..<min(Lane.batch, backlog.count) { running.append(backlog.removeLast()) }
      if backlog.isEmpty { backlog = [] }
    }
  }

  /// How much a thread takes at once; it is let go only when all of it is done.
  private static var batch: Int { 64 }

  private let limits: QueueSize
  private let state = Lock(State())
  /// The thread that has the turn; 0: none.
  private let runner = Atomic<UInt>(0)
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
      if let first = items.first, let last = state.last, first.undoes(last) {
        state.bytes -= first.weight + last.weight
        state.removeLast()
        items.removeFirst()
      }
      if state.waiting.isEmpty { swap(&state.waiting, &items) } else { state.waiting += items }
      items.removeAll(keepingCapacity: true)
      return !state.hasRunner && !state.isEmpty
    }
  }

  /// How many items, and bytes of them, may still be added; `nil` when it is full, and then ``run(_:)`` says when it
  /// is no longer.
  func room() -> QueueSize? {
    state.withLock { state in
      let size = size(state)
      let count = limits.count - size.count
      let bytes = limits.bytes - size.bytes
      if count > 0, bytes > 0 { return QueueSize(count: count, bytes: bytes) }
      state.isAwaited = true
      return nil
    }
  }

  /// Begins to note how long calls take, if one is being made: it takes long. Ends when the lane is empty.
  func time() {
    state.withLock { state in
      guard state.hasRunner else { return }
      began.store(elapsed, ordering: .relaxed)
      isTimed.store(true, ordering: .relaxed)
    }
  }

  // MARK: Whoever has the turn

  /// Calls all that waits; nothing while another thread does. `hasRoom` is called when a full lane is half empty.
  func run(_ call: (Item) -> Void, hasRoom: () -> Void = {}) {
    var items = state.withLock { $0.hasRunner ? [] : begin(&$0) }
    while !items.isEmpty {
      var bytes = 0
      for (index, item) in items.enumerated() {
        position.store(index, ordering: .relaxed)
        if isTimed.load(ordering: .relaxed) {
          began.store(elapsed, ordering: .relaxed)
          // Slow calls: somebody may wait for the room of each.
          if state.withLock({ tellsRoom(&$0) }) { hasRoom() }
        }
        bytes += item.weight
        call(item)
      }
      state.withLock { $0.running = [] }
      // Here, because what an item holds is the user's. The storage goes back and forth between the two sides.
      items.removeAll(keepingCapacity: items.capacity <= 4 * Self.batch)
      let hasNewRoom = state.withLock { state in
        swap(&state.running, &items)
        state.bytes -= bytes
        items = begin(&state)
        return tellsRoom(&state)
      }
      if hasNewRoom { hasRoom() }
    }
  }

  /// Whether a lane that was full is half empty now, and somebody waits for that.
  private func tellsRoom(_ state: inout State) -> Bool {
    guard state.isAwaited else { return false }
    let size = size(state)
    guard size.count <= limits.count / 2, size.bytes <= limits.bytes / 2 else { return false }
    state.isAwaited = false
    return true
  }

  /// What waits or is being called, without what of the present batch is done.
  private func size(_ state: State) -> QueueSize {
    let done = state.running.prefix(position.load(ordering: .relaxed))
    return QueueSize(count: state.count - done.count, bytes: state.bytes - done.reduce(0) { $0 + $1.weight })
  }

  /// Gives this thread the next batch and the turn, or takes the turn away when there is none.
  private func begin(_ state: inout State) -> [Item] {
    state.next()
    state.hasRunner = !state.running.isEmpty
    runner.store(state.hasRunner ? currentThread : 0, ordering: .relaxed)
    position.store(0, ordering: .relaxed)
    if !state.hasRunner {
      isTimed.store(false, ordering: .relaxed)
      began.store(0, ordering: .relaxed)
    } else if isTimed.load(ordering: .relaxed) {
      began.store(elapsed, ordering: .relaxed)
    }
    return state.running
  }

  // MARK: Any thread

  /// How much waits or is being called.
  var level: QueueSize {
    state.withLock { size($0) }
  }

  /// Whether it has as much as it should.
  var isFull: Bool {
    state.withLock { $0.count >= limits.count || $0.bytes >= limits.bytes }
  }

  /// Whether nothing waits and nobody is at it.
  var isIdle: Bool {
    state.withLock { !$0.hasRunner && $0.isEmpty }
  }

  /// Whether this thread is inside one of its calls. No order is needed: only this thread writes its own number.
  var isInside: Bool { runner.load(ordering: .relaxed) == currentThread }

  /// Takes out what waits and is not `kept`, and gives it.
  func abandon(keeping kept: (Item) -> Bool) -> [Item] {
    state.withLock { state in
      var all: [Item] = state.backlog.reversed()
      all += state.waiting
      state.backlog = []
      state.waiting = all.filter(kept)
      let gone = all.filter { !kept($0) }
      state.bytes -= gone.reduce(0) { $0 + $1.weight }
      return gone
    }
  }

  /// What is being called and for how long, if that is known to be long.
  var slow: (item: Item, time: Duration)? {
    state.withLock { state in
      let (began, index) = (began.load(ordering: .relaxed), position.load(ordering: .relaxed))
      let time = Duration.nanoseconds(elapsed - began)
      guard began > 0, time >= StandbyWatch.patience, state.running.indices.contains(index) else {
        return nil
      }
      return (state.running[index], time)
    }
  }

  private var elapsed: Int64 {
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    return max(1, seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}
