/// The progress of pieces of work whose number is known, as one: finished ones, plus what the running ones have done
/// of their shares.
///
/// A piece is worth its weight: 1 until it names another, also when it never says anything. Nothing is told before a
/// piece has told something. A fraction that was known stays so when a later update leaves it out, until the next
/// attempt. Each retry of a piece is a new attempt of the whole; within one the whole never falls. Nothing is kept of
/// finished pieces but sums.
struct StageProgress: Sendable {
  private struct Stage {
    let place: Int
    var weight = 1.0
    var fraction = 0.0
    var attempt = 1
  }

  /// How many pieces there will be, as far as is known.
  private(set) var count: Int
  private var running: [Int: Stage] = [:]
  private var shares = ShareTree()
  private var finished = 0
  private var finishedWeight = 0.0
  private var highest = 0.0
  private var retries = RetryCount()
  private var hasReported = false
  private var hasFraction = false

  init(count: Int) { self.count = count }

  /// There will be `count` pieces at least.
  mutating func expect(_ count: Int) { self.count = max(self.count, count) }

  /// Takes in what piece `id` says, and gives what all of them together have to say.
  ///
  /// What cannot be added up (counts of different units) is left out; message and phase are the newest.
  mutating func update(_ id: Int, _ update: ProgressUpdate) -> ProgressUpdate {
    var stage = running[id] ?? Stage(place: shares.insert())
    if update.attempt != stage.attempt { startAgain(&stage, update.attempt) }
    if let weight = update.weight { stage.weight = ProgressShare.bounded(weight) }
    if let fraction = update.fraction { stage.fraction = fraction }
    running[id] = stage
    shares[stage.place] = ProgressShare(weight: stage.weight, done: stage.weight * stage.fraction)
    hasReported = true
    if update.fraction != nil { hasFraction = true }
    return whole(message: update.message, phase: update.phase)
  }

  /// Piece `id` has completed, whether it ever said something or not. `nil`: there is nothing to tell.
  mutating func complete(_ id: Int) -> ProgressUpdate? {
    let stage = running.removeValue(forKey: id)
    if let stage { shares.remove(at: stage.place) }
    finishedWeight += stage?.weight ?? 1
    finished += 1
    return hasReported ? whole() : nil
  }

  private mutating func startAgain(_ stage: inout Stage, _ attempt: Int) {
    retries.add(from: stage.attempt, to: attempt)
    (stage.attempt, stage.fraction) = (attempt, 0)
    highest = 0
  }

  private mutating func whole(message: String? = nil, phase: String? = nil) -> ProgressUpdate {
    var result = ProgressUpdate(message: message, phase: phase, attempt: retries.attempt)
    guard hasFraction || finished > 0 else { return result }
    let silent = Double(max(0, count - finished - running.count))
    let running = shares.total
    highest = max(highest, (finishedWeight + running.done) / (finishedWeight + running.weight + silent))
    result.fraction = highest
    return result
  }
}
