/// Why a signal of values can't be had as it was asked for.
public enum ReadingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A pointer into JSON is none, and what to do about it.
  case badPointer(String, String)
  /// Progress was asked for with a filter that ends in `#`, which has no place for it.
  case progressOfAllLevels(String)

  /// One line that names the fault and the mend.
  public var description: String {
    switch self {
    case .badPointer(let pointer, let mend):
      "\"\(pointer)\" is no JSON pointer: \(mend)"
    case .progressOfAllLevels(let filter):
      "filter \"\(filter)\" can't include progress, since it ends in #: end it in + or a name, or leave progress out"
    }
  }
}
