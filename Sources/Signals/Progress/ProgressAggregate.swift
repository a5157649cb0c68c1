/// The progress of several pieces of work as one: Σ wᵢfᵢ / Σ wᵢ over those that take part.
///
/// A piece takes part from its first progress on, with the weight that it names (1 when it names none). One whose
/// fraction is unknown counts 0 while it runs; one that completed counts 1, folded into two sums, so that finished
/// pieces cost no memory. Within one attempt the aggregate never falls, also when a piece joins late.
struct ProgressAggregate: Sendable {
  private struct Piece {
    var weight: Double
    var fraction: Double?
    var attempt: Int
  }

  private var running: [Int: Piece] = [:]
  private var finishedWeight = 0.0
  private var highest = 0.0
  private var attempt = 1

  /// Takes in what piece `id` says, and gives what all of them together have to say.
  ///
  /// What cannot be added up (counts of different units) is left out; message and phase are the newest.
  mutating func update(_ id: Int, _ update: ProgressUpdate) -> ProgressUpdate {
    let weight = update.weight ?? running[id]?.weight ?? 1
    running[id] = Piece(weight: weight, fraction: update.fraction, attempt: update.attempt)
    return aggregate(message: update.message, phase: update.phase)
  }

  /// Piece `id` has completed. `nil`: there is nothing to tell.
  mutating func complete(_ id: Int) -> ProgressUpdate? {
    guard let piece = running.removeValue(forKey: id) else { return nil }
    finishedWeight += piece.weight
    return aggregate()
  }

  private mutating func aggregate(message: String? = nil, phase: String? = nil) -> ProgressUpdate {
    let newest = running.values.lazy.map(\.attempt).max() ?? attempt
    if newest > attempt {
      attempt = newest
      highest = 0
    }
    var result = ProgressUpdate(message: message, phase: phase, attempt: attempt)
    guard finishedWeight > 0 || running.values.contains(where: { $0.fraction != nil }) else { return result }
    let weights = running.values.reduce(finishedWeight) { $0 + $1.weight }
    let done = running.values.reduce(finishedWeight) { $0 + $1.weight * ($1.fraction ?? 0) }
    highest = max(highest, done / weights)
    result.fraction = highest
    return result
  }
}
