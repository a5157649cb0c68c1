/// When a shared source starts and stops, as a pure value type: it is told what happened and returns what to do.
///
/// Each start is a *run* with a generation number. The rules (`Shared` performs them):
/// - exactly one start however many join at once; a new start never overlaps the old stop;
/// - the last one leaving stops the run after the linger; during `starting` it stops once, as soon as the start has
///   returned, and whoever joins meanwhile waits for the next run;
/// - a linger timer that fires after someone came back does nothing; leaving twice counts once;
/// - when a run has ended by itself the next observer starts a fresh one.
struct ShareMachine: Sendable {
  typealias ID = UInt64

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
    case cancelLinger

    var isStart: Bool { if case .start = self { true } else { false } }
  }

  /// Without a linger the source stops with its last observer.
  let lingers: Bool
  private(set) var phase = Phase.idle
  /// The run of `observers`: the current one, or the last when idle.
  private(set) var generation: UInt64 = 0
  private(set) var observers: Set<ID> = []
  /// Those for whom the next run will start once this one has stopped.
  private(set) var waiting: Set<ID> = []
  private var token: UInt64 = 0

  init(lingers: Bool) { self.lingers = lingers }

  /// Whether what run `generation` sends can still reach anybody.
  func isWanted(_ generation: UInt64) -> Bool {
    guard generation == self.generation else { return false }
    switch phase {
    case .starting(isAbandoned: false), .active, .lingering: return true
    case .idle, .starting(isAbandoned: true), .stopping: return false
    }
  }

  /// An observer comes. It belongs to run `generation`; attach it before performing the action.
  mutating func join(_ id: ID) -> (generation: UInt64, action: Action?) {
    switch phase {
    case .idle:
      return (generation + 1, start([id]))
    case .starting(isAbandoned: false), .active:
      observers.insert(id)
      return (generation, nil)
    case .lingering:
      observers.insert(id)
      phase = .active
      return (generation, .cancelLinger)
    case .starting(isAbandoned: true), .stopping:
      waiting.insert(id)
      return (generation + 1, nil)
    }
  }

  /// An observer goes, or was already gone.
  mutating func leave(_ id: ID) -> Action? {
    if waiting.remove(id) != nil { return nil }
    guard observers.remove(id) != nil, observers.isEmpty else { return nil }
    switch phase {
    case .starting:
      phase = .starting(isAbandoned: true)
      return nil
    case .active where lingers:
      token += 1
      phase = .lingering(token: token)
      return .linger(token: token)
    case .active:
      return stop()
    case .idle, .lingering, .stopping:
      return nil
    }
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
  mutating func ended(_ generation: UInt64) -> Action? {
    guard generation == self.generation else { return nil }
    switch phase {
    case .starting:
      observers = []
      phase = .starting(isAbandoned: true)
      return nil
    case .active, .lingering:
      observers = []
      return stop()
    case .idle, .stopping:
      return nil
    }
  }

  /// Run `generation` has been disposed.
  mutating func stopped(_ generation: UInt64) -> Action? {
    guard generation == self.generation, phase == .stopping else { return nil }
    if waiting.isEmpty {
      phase = .idle
      return nil
    }
    defer { waiting = [] }
    return start(waiting)
  }

  private mutating func start(_ observers: Set<ID>) -> Action {
    generation += 1
    self.observers = observers
    phase = .starting(isAbandoned: false)
    return .start(generation: generation)
  }

  private mutating func stop() -> Action {
    phase = .stopping
    return .stop(generation: generation)
  }
}
