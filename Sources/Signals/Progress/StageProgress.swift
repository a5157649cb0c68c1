/// The progress of pieces of work whose number is known, as one: finished ones, plus what the running ones have done
/// of their shares.
///
/// A piece is worth its weight: 1 until it names another, also when it never says anything. Nothing is told before a
/// piece has told something. A fraction that was known stays so when a later update leaves it out, until the next
/// attempt. Within one attempt the whole never falls. Nothing is kept of finished pieces but sums.
struct StageProgress: Sendable {
  private struct Stage {
    var weight: Double
    var done = 0.0
    var attempt = 1
  }

  /// How many pieces there will be, as far as is known.
  private(set) var count: Int
  private var running: [Int: Stage] = [:]
  private var runningWeight = 0.0
  private var runningDone = 0.0
  private var finished = 0
  private var finishedWeight = 0.0
  private var highest = 0.0
  private var attempt = 1
  private var hasReported = false
  private var hasFraction = false

  init(count: Int) { self.count = count }

  /// There will be `count` pieces at least.
  mutating func expect(_ count: Int) { self.count = max(self.count, count) }

  /// Takes in what piece `id` says, and gives what all of them together have to say.
  ///
  /// What cannot be added up (counts of different units) is left out; message and phase are the newest.
  mutating func update(_ id: Int, _ update: ProgressUpdate) -> ProgressUpdate {
    let old = remove(id)
    let known = old?.attempt == update.attempt ? old?.done : nil
    let stage = Stage(
      weight: update.weight ?? old?.weight ?? 1, done: update.fraction ?? known ?? 0, attempt: update.attempt)
    running[id] = stage
    runningWeight += stage.weight
    runningDone += stage.weight * stage.done
    hasReported = true
    if update.fraction != nil { hasFraction = true }
    if update.attempt > attempt {
      attempt = update.attempt
      highest = 0
    }
    return whole(message: update.message, phase: update.phase)
  }

  /// Piece `id` has completed, whether it ever said something or not. `nil`: there is nothing to tell.
  mutating func complete(_ id: Int) -> ProgressUpdate? {
    finishedWeight += remove(id)?.weight ?? 1
    finished += 1
    return hasReported ? whole() : nil
  }

  private mutating func remove(_ id: Int) -> Stage? {
    guard let stage = running.removeValue(forKey: id) else { return nil }
    runningWeight -= stage.weight
    runningDone -= stage.weight * stage.done
    // Rounding errors don't outlive the pieces that they came from.
    if running.isEmpty { (runningWeight, runningDone) = (0, 0) }
    return stage
  }

  private mutating func whole(message: String? = nil, phase: String? = nil) -> ProgressUpdate {
    var result = ProgressUpdate(message: message, phase: phase, attempt: attempt)
    guard hasFraction || finished > 0 else { return result }
    let silent = Double(max(0, count - finished - running.count))
    let part = (finishedWeight + runningDone) / (finishedWeight + runningWeight + silent)
    // Absurd weights can make it no number.
    if part.isFinite { highest = max(highest, min(part, 1)) }
    result.fraction = highest
    return result
  }
}
