/// What can stand at a tick of a timeline.
protocol TimelineMark: Sendable {
  /// How it is written.
  var text: String { get }
  /// What can be written, for who wrote something else.
  static var alphabet: String { get }
  /// The mark that begins with `first`; `nil` when none does.
  static func read(_ first: Unicode.Scalar, _ cursor: inout MarbleCursor) throws(MarbleError) -> Self?
  /// What forbids `mark` (a tick without marks when it is `nil`) after `marks`.
  static func fault(of mark: Self?, after marks: [Self]) -> (problem: String, mend: String)?
}

/// Marks at ticks: what both notations (of events, of subscriptions) have in common.
///
/// `-` is a tick, a mark takes one, `[…]` holds several marks of one tick, spaces say nothing.
struct Timeline<Mark: TimelineMark>: Sendable {
  struct Moment: Sendable {
    var tick: Int
    /// How long after the beginning of the tick.
    var offset: Duration
    var mark: Mark

    /// What is not on a tick says so; it can't be written in a diagram, and so is equal to none.
    var text: String { offset == .zero ? mark.text : "{\(mark.text) +\(offset)}" }
  }

  /// In the order of their times.
  var moments: [Moment] = []

  mutating func append(_ mark: Mark, at time: Duration, tick length: Duration) {
    let tick = Int(time.attoseconds / length.attoseconds)
    moments.append(Moment(tick: tick, offset: time - length * tick, mark: mark))
  }

  /// The canonical text: nothing after the last mark, no group of one, `-` when there is no mark.
  var text: String {
    var result = ""
    var tick = 0
    var rest = moments[...]
    while let first = rest.first {
      let group = rest.prefix { $0.tick == first.tick }
      rest = rest.dropFirst(group.count)
      let marks = group.map(\.text).joined()
      result += String(repeating: "-", count: first.tick - tick)
      result += group.count == 1 ? marks : "[\(marks)]"
      tick = first.tick + 1
    }
    return result.isEmpty ? "-" : result
  }
}

extension Timeline {
  init(parsing text: String) throws(MarbleError) {
    var cursor = MarbleCursor(text)
    var tick = 0
    var marks: [Mark] = []
    var group: (place: Int, size: Int)?
    while let scalar = cursor.next() {
      let place = cursor.place
      switch scalar {
      case " ": break
      case "-":
        if group != nil {
          throw cursor.error(#"a tick "-" inside [ ]"#, mend: "A group is one tick: close it with ].")
        }
        try Self.check(nil, after: marks, at: place, cursor)
        tick += 1
      case "[":
        if group != nil {
          throw cursor.error(#"a group "[" inside a group"#, mend: "Marks stand side by side: [ab].")
        }
        group = (place, 0)
      case "]":
        guard let closed = group else {
          throw cursor.error(#"a "]" without its "[""#, mend: "Open the group before: [ab].")
        }
        if closed.size == 0 {
          throw cursor.error("an empty group", at: closed.place, mend: "A tick without marks is -.")
        }
        group = nil
        tick += 1
      default:
        guard let mark = try Mark.read(scalar, &cursor) else {
          throw cursor.error("\"\(scalar)\" means nothing", mend: Mark.alphabet)
        }
        try Self.check(mark, after: marks, at: place, cursor)
        marks.append(mark)
        moments.append(Moment(tick: tick, offset: .zero, mark: mark))
        if group == nil { tick += 1 } else { group?.size += 1 }
      }
    }
    if let group {
      throw cursor.error(#"a "[" without its "]""#, at: group.place, mend: "Close the group: [ab].")
    }
  }

  private static func check(
    _ mark: Mark?, after marks: [Mark], at place: Int, _ cursor: MarbleCursor
  ) throws(MarbleError) {
    guard let fault = Mark.fault(of: mark, after: marks) else { return }
    throw cursor.error(fault.problem, at: place, mend: fault.mend)
  }
}
