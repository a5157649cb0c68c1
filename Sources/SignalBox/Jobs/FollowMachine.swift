import Signals

/// Which run of a job to follow.
public enum FollowedRun: Sendable, Hashable {
  /// The live run, or else the outcome of the last one.
  case current
  /// The live run, or else the next one: what the broker has in store of a run that has ended is passed over.
  case next
}

/// One run of a job, put together from what its topics say, as a pure value type.
///
/// State and progress are joined by run. An end waits until the last progress and all values have been seen, two
/// seconds at most, since they travel on topics of their own. `lost` waits as long, to be taken back by a live word of
/// the same run; it never overrides an end that the last progress tells of.
struct FollowMachine: Sendable {
  enum Input: Sendable {
    case value(isStored: Bool)
    case progress(ProgressMessage, isStored: Bool)
    case state(StateMessage, isStored: Bool)
    /// The time of `wait` has passed.
    case waited(token: Int)
  }

  enum Output: Equatable, Sendable {
    /// Pass the value on.
    case value
    case progress(ProgressUpdate)
    /// Say `waited` with this token after `grace`.
    case wait(token: Int)
    /// The signal ends, well if there is no error.
    case end(JobError?)
  }

  static let grace = Duration.seconds(2)

  private let mode: FollowedRun
  private var run: String??
  /// Known only from progress in store: the state, which may be of a newer run, has not come yet.
  private var isTentative = false
  /// It was under way when it came into sight: then its values can't be counted.
  private var joinedLate = false
  private var valueCount = 0
  private var highest = 0.0
  private var attempt = 1
  private var lastOutcome: JobState?
  private var pending: StateMessage?
  private var token = 0

  init(_ mode: FollowedRun) { self.mode = mode }

  mutating func receive(_ input: Input) -> [Output] {
    switch input {
    case .value(let isStored):
      // A stored value of a run that has not been seen is the last run's.
      if isStored, mode == .next, run == nil { return [] }
      if !isStored { valueCount += 1 }
      return [.value] + endIfComplete()
    case .progress(let message, let isStored):
      // Whether stored progress is of a run that has ended, only the state tells.
      if isStored, mode == .next, run != .some(message.run) { return [] }
      return receive(message, isStored)
    case .state(let message, let isStored):
      let isOver = message.state.isEnd || message.state == .lost
      return isStored && isOver && mode == .next ? [] : receive(message, isStored)
    case .waited(let token):
      guard token == self.token, let pending else { return [] }
      return [.end(error(pending))]
    }
  }

  private mutating func receive(_ message: ProgressMessage, _ isStored: Bool) -> [Output] {
    if run != .some(message.run) {
      if run != nil, !isTentative {
        // Another run: a new one if it speaks now, a leftover if not.
        return isStored || message.outcome != nil ? [] : [.end(.superseded)]
      }
      adopt(message.run, isTentative: isStored, joinedLate: true)
    }
    if let outcome = message.outcome {
      lastOutcome = outcome
    } else if !isStored, pending?.state == .lost {
      pending = nil
    }
    return [.progress(shown(message.update))] + endIfComplete()
  }

  private mutating func receive(_ message: StateMessage, _ isStored: Bool) -> [Output] {
    if run != .some(message.run) {
      if run != nil, !isTentative {
        let isNew = !isStored && !message.state.isEnd && message.state != .lost
        return isNew ? [.end(.superseded)] : []
      }
      adopt(message.run, isTentative: false, joinedLate: isStored || message.state != .running)
    }
    isTentative = false
    guard message.state.isEnd || message.state == .lost else {
      if pending?.state == .lost { pending = nil }
      return []
    }
    // An end is not taken back.
    if let pending, pending.state.isEnd { return [] }
    pending = message
    token += 1
    let ends = endIfComplete()
    return ends.isEmpty ? [.wait(token: token)] : ends
  }

  private mutating func adopt(_ run: String?, isTentative: Bool, joinedLate: Bool) {
    self.run = .some(run)
    self.isTentative = isTentative
    self.joinedLate = joinedLate
    highest = 0
    attempt = 1
    lastOutcome = nil
  }

  /// The end, if nothing more of the run can come.
  private func endIfComplete() -> [Output] {
    guard let pending else { return [] }
    if pending.state == .lost { return lastOutcome.map { [.end(error(pending, $0))] } ?? [] }
    guard lastOutcome != nil else { return [] }
    let hasAllValues = joinedLate || valueCount >= pending.values ?? 0
    return hasAllValues ? [.end(error(pending))] : []
  }

  private func error(_ message: StateMessage, _ outcome: JobState? = nil) -> JobError? {
    switch outcome ?? message.state {
    case .failed: .failed(message.error, exit: message.exit)
    case .cancelled: .cancelled
    case .lost: .lost
    case .done, .running, .paused, .queued: nil
    }
  }

  /// Within one attempt the shown fraction never falls.
  private mutating func shown(_ update: ProgressUpdate) -> ProgressUpdate {
    if update.attempt != attempt {
      attempt = update.attempt
      highest = 0
    }
    guard let fraction = update.fraction else { return update }
    highest = max(highest, fraction)
    var shown = update
    shown.fraction = highest
    return shown
  }
}
