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

/// A generator whose numbers are the same in each run of the tests.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: Int) { state = UInt64(seed) }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
