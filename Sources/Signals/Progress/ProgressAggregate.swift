/// The progress of several pieces of work as one: Σ wᵢfᵢ / Σ wᵢ over those that take part.
///
/// - A piece takes part from its first progress on, with the weight that it names, 1 when it has named none. The weight
///   may change.
/// - A piece whose fraction is unknown counts 0 while it runs. A fraction that was known stays so when a later update
///   leaves it out, until the next attempt. While none is known, that of all is unknown.
/// - A piece that has completed counts 1, folded into a sum, so that finished pieces cost no memory.
/// - What cannot be added up (counts in different units, rates) is left out. Message and phase are the newest that
///   a piece has given, until it gives another, leaves it out, or completes.
///
/// Attempts: each retry of any piece is a new attempt of all, which is 1 + the number of retries of all pieces. Inside one
/// attempt the fraction never falls, also when a piece joins late or grows in weight. With a new one it is
/// reckoned afresh: the piece that tries again starts again, and the others count what they had.
struct ProgressAggregate: Sendable {
  private struct Piece {
    let place: Int
    var weight = 1.0
    var fraction: Double?
    var attempt = 1
  }

  private var running: [Int: Piece] = [:]
  private var shares = ShareTree()
  private var finished = 0.0
  /// How many running pieces have a known fraction.
  private var known = 0
  private var retries = RetryCount()
  /// What was told last, and must not fall.
  private var fraction: Double?
  private var message = Remark()
  private var phase = Remark()

  /// Takes in what piece `id` says, and gives what all of them together have to say.
  mutating func update(_ id: Int, _ update: ProgressUpdate) -> ProgressUpdate {
    var piece = running[id] ?? Piece(place: shares.insert())
    if piece.fraction != nil { known -= 1 }
    if update.attempt != piece.attempt { startAgain(&piece, update.attempt) }
    if let weight = update.weight { piece.weight = ProgressShare.bounded(weight) }
    if let fraction = update.fraction { piece.fraction = fraction }
    if piece.fraction != nil { known += 1 }
    running[id] = piece
    shares[piece.place] = ProgressShare(weight: piece.weight, done: piece.weight * (piece.fraction ?? 0))
    message.hear(update.message, from: id)
    phase.hear(update.phase, from: id)
    raiseFraction()
    return current
  }

  /// Piece `id` has completed. `nil`: there is nothing to tell.
  mutating func complete(_ id: Int) -> ProgressUpdate? {
    guard let piece = running.removeValue(forKey: id) else { return nil }
    if piece.fraction != nil { known -= 1 }
    shares.remove(at: piece.place)
    finished += piece.weight
    message.forget(id)
    phase.forget(id)
    let told = fraction
    raiseFraction()
    // One that was at 1 has moved the sum by a rounding error at most.
    return piece.fraction == 1 || fraction == told ? nil : current
  }

  private var current: ProgressUpdate {
    ProgressUpdate(fraction: fraction, message: message.text, phase: phase.text, attempt: retries.attempt)
  }

  private mutating func startAgain(_ piece: inout Piece, _ attempt: Int) {
    retries.add(from: piece.attempt, to: attempt)
    piece.attempt = attempt
    piece.fraction = nil
    fraction = nil
  }

  private mutating func raiseFraction() {
    guard finished > 0 || known > 0 else { return }
    let running = shares.total
    let raw = (finished + running.done) / (finished + running.weight)
    fraction = max(fraction ?? 0, raw)
  }
}

/// What was said last, and by which piece.
private struct Remark: Sendable {
  private(set) var text: String?
  private var speaker: Int?

  mutating func hear(_ text: String?, from id: Int) {
    guard text != nil || id == speaker else { return }
    self = Remark(text: text, speaker: id)
  }

  mutating func forget(_ id: Int) {
    if id == speaker { self = Remark() }
  }

  init(text: String? = nil, speaker: Int? = nil) {
    self.text = text
    self.speaker = speaker
  }
}
