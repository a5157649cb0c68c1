internal import Synchronization

/// The last values that any run of a shared signal sent, for newcomers of later runs too.
final class KeptValues<Value: Sendable>: Sendable {
  private struct Kept: Sendable {
    let value: Value
    let time: Duration
  }

  private struct State: Sendable {
    /// The run that sent `last`.
    var generation: UInt64 = 0
    var last = Ring<Kept>()
  }

  private let capacity: Int
  private let maxAge: Duration
  private let scheduler: any Scheduler
  private let state = Lock(State())

  init(_ capacity: Int, maxAge: Duration, _ scheduler: any Scheduler) {
    self.capacity = capacity
    self.maxAge = maxAge
    self.scheduler = scheduler
  }

  /// Takes note of a value of run `generation`. The first one takes the place of all of an earlier run.
  fileprivate func remember(_ value: Value, of generation: UInt64) {
    let kept = Kept(value: value, time: scheduler.now)
    let (old, first) = state.withLock { [capacity] state -> (Ring<Kept>?, Kept?) in
      // A run that is being stopped can still send when the next one has begun.
      guard generation >= state.generation else { return (nil, nil) }
      var old: Ring<Kept>?
      if generation > state.generation {
        old = state.last
        state.last = Ring()
        state.generation = generation
      }
      let first = state.last.count == capacity ? state.last.popFirst() : nil
      state.last.append(kept)
      return (old, first)
    }
    // Released here, outside of the lock.
    withExtendedLifetime((old, first)) {}
  }

  /// What a newcomer of run `generation` gets: the run's own values, or what an earlier one left.
  fileprivate func values(for generation: UInt64, hasEnded: Bool) -> ContiguousArray<Value> {
    let (last, sender) = state.withLock { ($0.last.elements, $0.generation) }
    if sender == generation { return ContiguousArray(last.map(\.value)) }
    guard sender < generation, !hasEnded else { return [] }
    let now = scheduler.now
    return ContiguousArray(last.lazy.filter { now - $0.time <= self.maxAge }.map(\.value))
  }
}

/// The kept values, to the subject of one run.
final class RunReplay<Value: Sendable>: ReplayStore {
  private let kept: KeptValues<Value>
  private let generation: UInt64
  private let hasEnded = Atomic(false)

  init(_ kept: KeptValues<Value>, _ generation: UInt64) {
    self.kept = kept
    self.generation = generation
  }

  /// From now on newcomers get what this run sent, and nothing of an earlier one.
  func end() { hasEnded.store(true, ordering: .releasing) }

  func remember(_ value: Value) { kept.remember(value, of: generation) }

  func values(for observer: Observer<Value>) -> ContiguousArray<Value> {
    kept.values(for: generation, hasEnded: hasEnded.load(ordering: .acquiring))
  }
}
