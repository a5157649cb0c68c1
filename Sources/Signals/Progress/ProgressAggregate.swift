/// The progress of several pieces of work as one: Σ wᵢfᵢ / Σ wᵢ over those that take part.
///
/// - A piece takes part from its first progress on, with the weight that it names, 1 when it has named none; or from the
///   beginning, when its weight was declared. The weight may change.
/// - A piece whose fraction is unknown counts 0 while it runs. A fraction that was known stays so when a later update
///   leaves it out, until the next attempt. While none is known, that of all is unknown.
/// - A piece that has completed counts 1, folded into a sum, so that finished pieces cost no memory.
/// - Where it is known how many pieces there will be (`expected`), each counts from the beginning, also when it never
///   says anything: with the mean weight of those that have said something.
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
  /// The weights of completed pieces that have said something, and how many those are.
  private var finished = 0.0
  private var finishedCount = 0
  /// How many have completed without a word.
  private var silentCount = 0
  private var expected: Int?
  private var hasReported = false
  /// How many running pieces have a known fraction.
  private var known = 0
  /// 1 more than there were retries of pieces.
  private var attempt = 1
  /// What was told last, and must not fall.
  private var fraction: Double?
  private var message = Remark()
  private var phase = Remark()

  /// `tellsCompletions`: also when no piece has said anything yet.
  init(expected: Int? = nil, tellsCompletions: Bool = false) {
    self.expected = expected
    hasReported = tellsCompletions
  }

  /// Piece number i takes part from the beginning where a weight is given for it.
  init(weights: [Double?]) {
    for case (let id, let weight?) in weights.enumerated() { declare(id, weight: weight) }
  }

  /// Piece `id` takes part from now on, if it does not yet, and nothing is known of it but its weight.
  mutating func declare(_ id: Int, weight: Double) {
    guard running[id] == nil else { return }
    let piece = Piece(place: shares.insert(), weight: ProgressShare.bounded(weight))
    running[id] = piece
    shares[piece.place] = ProgressShare(weight: piece.weight)
  }

  /// There will be `count` pieces at least.
  mutating func expect(_ count: Int) { expected = expected.map { max($0, count) } }

  /// Takes in what piece `id` says, and gives what all of them together have to say.
  mutating func update(_ id: Int, _ update: ProgressUpdate) -> ProgressUpdate {
    hasReported = true
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
    let piece = running.removeValue(forKey: id)
    guard piece != nil || expected != nil else { return nil }
    if let piece { shares.remove(at: piece.place) }
    if piece?.fraction != nil { known -= 1 }
    if let piece {
      finished += piece.weight
      finishedCount += 1
    } else {
      silentCount += 1
    }
    message.forget(id)
    phase.forget(id)
    let told = fraction
    raiseFraction()
    // One that was at 1 has moved the sum by a rounding error at most.
    return piece?.fraction == 1 || fraction == told ? nil : current
  }

  private var current: ProgressUpdate {
    ProgressUpdate(fraction: fraction, message: message.text, phase: phase.text, attempt: attempt)
  }

  /// An attempt that is not the next one counts too: a lower number is the first of a source that was started anew.
  private mutating func startAgain(_ piece: inout Piece, _ newAttempt: Int) {
    let (sum, overflows) = attempt.addingReportingOverflow(max(newAttempt - piece.attempt, 1))
    attempt = overflows ? .max : sum
    piece.attempt = newAttempt
    piece.fraction = nil
    fraction = nil
  }

  private mutating func raiseFraction() {
    guard hasReported, finishedCount + silentCount + known > 0 else { return }
    let running = shares.total
    let heard = finishedCount + self.running.count
    let mean = heard == 0 ? 1 : (finished + running.weight) / Double(heard)
    let silent = max((expected ?? 0) - heard, silentCount)
    let done = finished + running.done + Double(silentCount) * mean
    fraction = max(fraction ?? 0, done / (finished + running.weight + Double(silent) * mean))
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
