/// Whose turn it is among several hosts, and what a round over all of them came to.
struct HostRound {
  enum Step: Equatable {
    /// Try ``host`` now.
    case goOn
    /// All were tried, and another round may end better.
    case rest
    /// Every host refused for good; this is the first one's cause.
    case giveUp(ConnectionError)
  }

  private let count: Int
  /// The host whose turn it is, as an index.
  private(set) var host = 0
  /// With whom the next round begins.
  private var first = 0
  private var left = 0
  private var firstRefusal: ConnectionError?
  private var isHopeless = true

  init(count: Int) {
    self.count = count
  }

  mutating func begin() {
    host = first
    left = count - 1
    firstRefusal = nil
    isHopeless = true
  }

  /// The host did not give a link; `isFinal` when it never will.
  mutating func failed(_ cause: ConnectionError, isFinal: Bool) -> Step {
    if isFinal { firstRefusal = firstRefusal ?? cause } else { isHopeless = false }
    if left > 0 {
      left -= 1
      host = (host + 1) % count
      return .goOn
    }
    return isHopeless ? .giveUp(firstRefusal ?? cause) : .rest
  }

  /// The host gave a link: it is asked first when that is lost.
  mutating func succeeded() {
    first = host
  }

  /// The next round begins with another host, if there is one.
  mutating func turnAway() {
    first = (host + 1) % count
  }
}
