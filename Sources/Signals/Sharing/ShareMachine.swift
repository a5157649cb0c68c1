/// When a shared source starts and stops, as a pure value type: it is told what happened and returns what to do.
///
/// Each start is a *run* with a generation number. Each observer has a seat in one run, and gives it back once: its
/// generation says which seat it is, so the machine need only know how many there are in the run that goes on and in
/// the next. The rules (`ShareHub` performs them):
/// - exactly one start however many join at once, as soon as one of them is attached; a new start never overlaps the
///   old stop;
/// - the last one leaving stops the run after the linger; during `starting` it stops once, as soon as the start has
///   returned, and whoever joins meanwhile waits for the next run;
/// - a linger timer that fires after someone came back does nothing;
/// - when a run has ended by itself the next observer starts a fresh one, or the end is latched: then everybody who
///   comes belongs to that run for ever, and has no seat.
struct ShareMachine: Sendable {
  /// What does not change.
  struct Rules: Sendable {
    /// Without a linger the source stops with its last observer.
    var lingers = false
    var onFailure = ShareEndPolicy.restart
    var onCompletion = ShareEndPolicy.restart
  }

  enum Phase: Equatable, Sendable {
    case idle
    /// The start closure runs. Abandoned: everybody left, or the source ended, before it returned.
    case starting(isAbandoned: Bool)
    case active
    case lingering(token: UInt64)
    case stopping
  }

  enum Action: Equatable, Sendable {
    /// Run the start closure, then say `started`.
    case start(generation: UInt64)
    /// Dispose the run, then say `stopped`.
    case stop(generation: UInt64)
    /// Say `lingered` with this token when the linger has passed.
    case linger(token: UInt64)
    case cancelLinger(token: UInt64)
  }

  /// How a source ends by itself.
  enum Ending: Sendable { case failed, completed }

  let rules: Rules
  private(set) var phase = Phase.idle
  /// The current run, or the last when idle.
  private(set) var generation: UInt64 = 0
  /// How many seats are taken in it.
  private(set) var observers = 0
  /// How many seats are taken in the next run, which starts once this one has stopped, and how many of those are of
  /// observers that are attached.
  private(set) var waiting = 0
  private(set) var arrived = 0
  /// Whether the last run has ended for good.
  private(set) var isLatched = false
  private var token: UInt64 = 0

  init(_ rules: Rules) { self.rules = rules }

  /// The run that belongs to who comes now.
  var openGeneration: UInt64 {
    if isLatched { return generation }
    switch phase {
    case .idle, .starting(isAbandoned: true), .stopping: return generation + 1
    case .starting(isAbandoned: false), .active, .lingering: return generation
    }
  }

  /// Whether what run `generation` sends can still reach anybody.
  func isWanted(_ generation: UInt64) -> Bool {
    generation == self.generation && openGeneration == generation && !isLatched
  }

  /// An observer comes to run `openGeneration`. When that is not the current one, say `arrived` once it is attached.
  mutating func join() -> Action? {
    if isLatched { return nil }
    switch phase {
    case .starting(isAbandoned: false), .active:
      observers += 1
    case .lingering(let token):
      observers = 1
      phase = .active
      return .cancelLinger(token: token)
    case .idle, .starting(isAbandoned: true), .stopping:
      waiting += 1
    }
    return nil
  }

  /// An observer that joined run `generation` when it was the next one is attached.
  mutating func arrived(_ generation: UInt64) -> Action? {
    // Otherwise the run has started: for somebody else, who arrived first.
    guard generation > self.generation else { return nil }
    arrived += 1
    return phase == .idle ? start() : nil
  }

  /// An observer of run `generation` goes, once; where it would have to arrive, it may go instead.
  mutating func leave(_ generation: UInt64, hasArrived: Bool = true) -> Action? {
    if generation > self.generation {
      waiting -= 1
      if hasArrived { arrived -= 1 }
      return nil
    }
    // The end of a run has emptied its seats.
    guard generation == self.generation, observers > 0 else { return nil }
    observers -= 1
    guard observers == 0 else { return nil }
    switch phase {
    case .starting:
      phase = .starting(isAbandoned: true)
      return nil
    case .active where rules.lingers:
      token += 1
      phase = .lingering(token: token)
      return .linger(token: token)
    case .active:
      return stop()
    case .idle, .lingering, .stopping:
      return nil
    }
  }

  /// The one observer of run `generation` has gone, though it can't leave before the start returns. `false`: it is not
  /// the only one, or the start has returned. It may leave later all the same.
  mutating func abandon(_ generation: UInt64) -> Bool {
    guard generation == self.generation, phase == .starting(isAbandoned: false), observers == 1 else {
      return false
    }
    return leave(generation) == nil
  }

  /// The start closure of run `generation` has returned.
  mutating func started(_ generation: UInt64) -> Action? {
    guard generation == self.generation, case .starting(let isAbandoned) = phase else { return nil }
    if isAbandoned { return stop() }
    phase = .active
    return nil
  }

  /// The linger of `token` has passed.
  mutating func lingered(_ token: UInt64) -> Action? {
    phase == .lingering(token: token) ? stop() : nil
  }

  /// The source of run `generation` ended by itself, or could not start.
  mutating func ended(_ generation: UInt64, _ ending: Ending) -> Action? {
    // What nobody wants any more can't end for anybody either.
    guard isWanted(generation) else { return nil }
    observers = 0
    isLatched = (ending == .failed ? rules.onFailure : rules.onCompletion) == .latch
    if case .starting = phase {
      phase = .starting(isAbandoned: true)
      return nil
    }
    return stop()
  }

  /// Run `generation` has been disposed.
  mutating func stopped(_ generation: UInt64) -> Action? {
    guard generation == self.generation, phase == .stopping else { return nil }
    phase = .idle
    return arrived > 0 ? start() : nil
  }

  private mutating func start() -> Action {
    generation += 1
    observers = waiting
    (waiting, arrived) = (0, 0)
    phase = .starting(isAbandoned: false)
    return .start(generation: generation)
  }

  private mutating func stop() -> Action {
    phase = .stopping
    return .stop(generation: generation)
  }
}
