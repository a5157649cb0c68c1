/// Which inner signals of a `flatMap` run, as a pure value type: it is told what happened and returns what to do.
///
/// Inner signals have the ids 1, 2, 3 … in the order in which they start. Only counts are kept: however many have
/// finished, the machine does not grow.
struct FlattenMachine: Sendable {
  /// What to do with a value of the outer signal.
  enum Acceptance: Equatable, Sendable {
    /// Start its signal.
    case start(id: Int)
    /// Stop signal `old`, then start its signal.
    case replace(old: Int, id: Int)
    /// Put it at the end of the queue.
    case wait
    /// Forget it.
    case drop
  }

  /// What to do when something has completed.
  enum Sequel: Equatable, Sendable {
    /// Start the signal of the value at the head of the queue.
    case startWaiting(id: Int)
    /// All have completed.
    case complete
  }

  let strategy: FlattenStrategy
  /// How many inner signals run, or have been told to start.
  private(set) var running = 0
  /// How many values are in the queue.
  private(set) var waiting = 0
  private var newest = 0
  private var isOuterCompleted = false

  init(_ strategy: FlattenStrategy) { self.strategy = strategy }

  /// Whether what inner signal `id` sends still counts. One that was replaced may not have noticed yet.
  func accepts(_ id: Int) -> Bool { strategy != .latest || id == newest }

  /// The outer signal has sent a value.
  mutating func next() -> Acceptance {
    switch strategy.rule {
    case .merge(let max) where running == max:
      waiting += 1
      return .wait
    case .exhaust where running == 1:
      return .drop
    case .latest where running == 1:
      let old = newest
      newest += 1
      return .replace(old: old, id: newest)
    case .merge, .exhaust, .latest:
      return .start(id: start())
    }
  }

  /// Inner signal `id` has completed.
  mutating func completed(_ id: Int) -> Sequel? {
    guard accepts(id) else { return nil }
    running -= 1
    guard waiting == 0 else {
      waiting -= 1
      return .startWaiting(id: start())
    }
    return isOuterCompleted && running == 0 ? .complete : nil
  }

  /// The outer signal has completed: what runs and waits goes on.
  mutating func outerCompleted() -> Sequel? {
    isOuterCompleted = true
    return running == 0 ? .complete : nil
  }

  private mutating func start() -> Int {
    running += 1
    newest += 1
    return newest
  }
}
