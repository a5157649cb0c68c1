internal import Signals

/// An event as a diagram writes it.
enum EventMark: TimelineMark {
  case value(String)
  case progress(ProgressUpdate)
  case failed
  case completed

  var text: String {
    switch self {
    case .value(let value): QuotedText.write(value)
    case .progress(let update): ProgressText.write(update)
    case .failed: "#"
    case .completed: "|"
    }
  }

  static var alphabet: String {
    """
    Write - for a tick, a letter or a digit for a value, 'long' for a longer one, (25) for progress, [ab] for \
    several events of one tick, | for the completion, # for a failure.
    """
  }

  static func read(_ first: Unicode.Scalar, _ cursor: inout MarbleCursor) throws(MarbleError) -> EventMark? {
    switch first {
    case "|": .completed
    case "#": .failed
    case "(": .progress(try ProgressText.read(&cursor))
    case "'": .value(try QuotedText.read(&cursor))
    case _ where QuotedText.isBare(first): .value(String(first))
    default: nil
    }
  }

  static func fault(of mark: EventMark?, after marks: [EventMark]) -> (problem: String, mend: String)? {
    switch marks.last {
    case .completed, .failed:
      let what = mark.map { "\"\($0.text)\"" } ?? #"a tick "-""#
      return ("\(what) after the end", "Nothing comes after | or #: end there, and pad with spaces.")
    case .value, .progress, nil: return nil
    }
  }
}
