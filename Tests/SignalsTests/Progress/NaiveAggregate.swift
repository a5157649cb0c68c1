import Signals

/// The definition of the progress of several pieces as one, reckoned from scratch each time.
struct NaiveAggregate {
  struct Piece {
    var weight = 1.0
    var fraction: Double?
    var attempt = 1
    var retries = 0
    var isComplete = false
  }

  var pieces: [Int: Piece] = [:]
  private var shown: Double?

  var attempt: Int { pieces.values.reduce(1) { $0 + $1.retries } }

  /// Returns the attempt and the fraction to show.
  mutating func update(
    _ id: Int, fraction: Double?, weight: Double?, attempt: Int
  ) -> (attempt: Int, fraction: Double?) {
    var piece = pieces[id] ?? Piece()
    if attempt != piece.attempt {
      piece.retries += max(1, attempt - piece.attempt)
      piece.attempt = attempt
      piece.fraction = nil
      shown = nil
    }
    piece.fraction = fraction ?? piece.fraction
    piece.weight = weight ?? piece.weight
    pieces[id] = piece
    return show()
  }

  /// `nil`: there is nothing new to show.
  mutating func complete(_ id: Int) -> (attempt: Int, fraction: Double?)? {
    guard let piece = pieces[id] else { return nil }
    pieces[id]?.isComplete = true
    let before = shown
    let after = show()
    return piece.fraction == 1 || after.fraction == before ? nil : after
  }

  private mutating func show() -> (attempt: Int, fraction: Double?) {
    if pieces.values.contains(where: { $0.isComplete || $0.fraction != nil }) {
      let weight = pieces.values.reduce(0) { $0 + $1.weight }
      let done = pieces.values.reduce(0) { $0 + $1.weight * ($1.isComplete ? 1 : $1.fraction ?? 0) }
      shown = max(shown ?? 0, done / weight)
    }
    return (attempt, shown)
  }
}
