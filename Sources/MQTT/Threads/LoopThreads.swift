import Signals
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The shell around ``LoopOwnership`` and ``StandbyWatch``: one atomic word, and a semaphore for the standby.
///
/// A stint that nobody takes costs two compare-and-swaps and no system call while the standby ticks.
final class LoopThreads: Sendable {
  private let word = Atomic<UInt64>(LoopOwnership().rawValue)
  private let calls = Semaphore()
  /// Signalled by each thread that leaves; one that left before the end only makes who waits look once more.
  private let departures = Semaphore()
  private let alive = Atomic<Int>(0)

  /// Changes the word, and gives what `change` gave for the value that held.
  private func update<Result>(_ change: (inout LoopOwnership) -> Result) -> Result {
    var seen = word.load(ordering: .relaxed)
    while true {
      var ownership = LoopOwnership(rawValue: seen)
      let result = change(&ownership)
      if ownership.rawValue == seen {
        // Nothing to change; but what was seen has to be the latest, for who acts on it.
        let latest = word.load(ordering: .acquiring)
        if latest == seen { return result }
        seen = latest
        continue
      }
      let (exchanged, latest) = word.compareExchange(
        expected: seen, desired: ownership.rawValue, ordering: .acquiringAndReleasing)
      if exchanged { return result }
      seen = latest
    }
  }

  // MARK: The owner

  /// Lends the loop out while this thread runs code of the user. `standby` is what a new thread does; when it
  /// `isUrgent`, it does so as soon as it can.
  func open(isUrgent: Bool, _ standby: @escaping @Sendable () -> Void) -> UInt32 {
    let (call, stint) = update { ($0.open(isUrgent: isUrgent), $0.stint) }
    switch call {
    case .nothing: break
    case .wake: calls.signal()
    case .start: if !start(standby) { update { $0.standbyFailed() } }
    }
    return stint
  }

  /// Takes the loop back. False when it was taken: then nothing of it may be touched.
  func close(_ stint: UInt32) -> Bool {
    update { $0.close(stint) }
  }

  /// Ends the loop for all threads.
  func end() {
    if update({ $0.end() }) == .wake { calls.signal() }
  }

  /// After the end: the deadline may have changed.
  func recheck() { departures.signal() }

  /// After the end: waits until another thread leaves, or ``recheck()``. False at `deadline`.
  func waitForDeparture(until deadline: ContinuousClock.Instant) -> Bool {
    let left = max(.zero, ContinuousClock.now.duration(to: deadline))
    return departures.wait(for: left)
  }

  // MARK: Any thread

  /// Something waits for the loop. `isInside`: this is the thread that runs code of the user.
  func ask(_ isInside: () -> Bool) {
    let seen = LoopOwnership(rawValue: word.load(ordering: .relaxed))
    guard seen.isOpen, !seen.isAwaited, !isInside() else { return }
    if update({ $0.ask() }) == .wake { calls.signal() }
  }

  /// Starts a thread that counts as alive until `body` has returned. False: the system has none.
  func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    alive.add(1, ordering: .relaxed)
    let isStarted = startThread("mqtt") { [self] in
      body()
      departures.signal()
      alive.subtract(1, ordering: .relaxed)
    }
    if !isStarted { alive.subtract(1, ordering: .relaxed) }
    return isStarted
  }

  /// The threads that have not ended.
  var count: Int { alive.load(ordering: .relaxed) }

  // MARK: A thread without the loop

  /// Waits to own the loop: true when this thread does now, false when there is nothing left to do for it.
  ///
  /// A thread that was started for it `isAppointed`; one that lost the loop asks whether it is needed.
  func standBy(isAppointed: Bool, hasWork: () -> Bool) -> Bool {
    guard isAppointed || update({ $0.standBy() }) else { return false }
    var watch = StandbyWatch()
    var wasCalled = true
    while true {
      let work = hasWork()
      let (decision, next) = update { ownership -> (StandbyWatch.Decision, StandbyWatch) in
        var watch = watch
        let decision = watch.look(&ownership, wasCalled: wasCalled, hasWork: work)
        return (decision, watch)
      }
      watch = next
      switch decision {
      case .take: return true
      case .leave: return false
      case .sleep:
        calls.wait()
        wasCalled = true
      case .look(let pause):
        wasCalled = calls.wait(for: pause)
      }
    }
  }
}

/// The calling thread, as a number to compare.
var currentThread: UInt {
  #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
  #else
    UInt(pthread_self())
  #endif
}
