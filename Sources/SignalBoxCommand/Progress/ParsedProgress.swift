/// Progress as a program printed it.
enum ParsedProgress: Equatable, Sendable {
  /// `[3/7]`: so many steps of so many; the total is positive and not less than what is done.
  case steps(done: Int, total: Int)
  /// `42%` or `42.5%`: from 0 to 100.
  case percent(Double)
}
