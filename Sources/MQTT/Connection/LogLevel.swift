/// How much a line of the log matters.
public enum LogLevel: Int, Sendable, Comparable, CaseIterable {
  /// What libmosquitto says about each packet. It costs time for each message, so that it is not asked unless wanted.
  case debug
  /// A connection comes and goes.
  case info
  /// Something was lost, or held up.
  case warning
  /// The end, for a reason.
  case error

  /// Orders by how much it matters.
  public static func < (left: Self, right: Self) -> Bool {
    left.rawValue < right.rawValue
  }
}
