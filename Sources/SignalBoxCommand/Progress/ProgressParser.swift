/// Finds progress in the output of a program, whatever the pieces in which it arrives.
///
/// - `[n/m]` counts where a line starts with it (ninja, swift build).
/// - `NN%` and `NN.N%` count where a line starts with `[NN%]` (cmake), where a line is redrawn by a carriage
///   return (git, rsync, wget, tqdm), and from the third line of one shape on whose numbers rise. Prose like
///   "use 50% less memory" does not.
///
/// Colours and other escape sequences are overlooked. Feed each stream of a program to a parser of its own.
struct ProgressParser {
  /// Which forms count.
  enum Forms: String, CaseIterable, Sendable {
    /// Both, until the first `[n/m]`; then only these, because what shows percents is one of the steps.
    case auto
    /// `[n/m]` only.
    case steps
    /// Percents only.
    case percent
  }

  /// What a longer line holds behind this many bytes is not looked at.
  static let longestLine = 64 << 10
  /// A longer line is looked at once, at its end, and not with each of its pieces.
  private static let longestPiecemeal = 4 << 10

  /// So many bytes tell text from binary data well enough.
  private static let glance = 64

  private var forms: Forms
  /// The start of a line whose end has not come yet.
  private var line: [UInt8] = []
  /// The line began after a carriage return that no line feed followed.
  private var isRedrawn = false
  /// The line was ended by a carriage return; the next byte tells whether a line feed follows.
  private var isReturned = false
  /// The end of the line before was no text: what looks like a redraw may be chance.
  private var followsBinary = false
  /// The line has shown its progress before its end.
  private var isReported = false
  private var series = LineSeries()
  private var last: ParsedProgress?

  /// A parser at the start of a stream.
  init(_ forms: Forms = .auto) {
    self.forms = forms
  }

  /// Reads the next bytes of the stream, and calls `report` with each progress that differs from the last.
  mutating func consume(_ bytes: UnsafeRawBufferPointer, _ report: (ParsedProgress) -> Void) {
    var start = 0
    if isReturned, let first = bytes.first {
      isReturned = false
      endLine(with: .empty, isRedraw: first != newline, report)
      if first == newline { start = 1 }
    }
    var candidates = Candidates(bytes)
    while true {
      skipLines(of: bytes, from: &start, to: candidates.next(from: start))
      guard let end = bytes.firstLineEnd(from: start) else { break }
      let text = bytes.slice(start, end)
      start = end + 1
      if bytes[end] == newline {
        endLine(with: text, isRedraw: false, report)
      } else if start == bytes.count {
        keep(text)
        isReturned = true
        reportEarly(newest: text, report)
        return
      } else {
        let isPair = bytes[start] == newline
        if isPair { start += 1 }
        endLine(with: text, isRedraw: !isPair, report)
      }
    }
    let rest = bytes.slice(start, bytes.count)
    keep(rest)
    reportEarly(newest: rest, report)
  }

  /// Reads the last line, if the stream did not end it.
  mutating func finish(_ report: (ParsedProgress) -> Void) {
    endLine(with: .empty, isRedraw: isReturned, report)
    isReturned = false
  }

  private mutating func keep(_ text: UnsafeRawBufferPointer) {
    line.append(contentsOf: text.prefix(Self.longestLine - line.count))
  }

  /// Leaves out the lines before the one with the next sign that may belong to progress: in most output, all.
  private mutating func skipLines(
    of bytes: UnsafeRawBufferPointer, from start: inout Int, to candidate: Int
  ) {
    guard line.isEmpty, var end = bytes.lastLineEnd(in: start..<candidate) else { return }
    // What a return at the end of the bytes means is open.
    if end == bytes.count - 1, bytes[end] == carriageReturn {
      guard let before = bytes.lastLineEnd(in: start..<end) else { return }
      end = before
    }
    isRedrawn = bytes[end] == carriageReturn
    let lineEnd = end > start && bytes[end] == newline && bytes[end - 1] == carriageReturn ? end - 1 : end
    let near = max(start, lineEnd - Self.glance)
    let lineStart = bytes.lastLineEnd(in: near..<lineEnd).map { $0 + 1 } ?? near
    followsBinary = !bytes.slice(lineStart, lineEnd).looksLikeText
    start = end + 1
  }

  /// Tells of a line that is still being written: a program may sleep until it redraws it.
  private mutating func reportEarly(newest: UnsafeRawBufferPointer, _ report: (ParsedProgress) -> Void) {
    guard !isReported, line.count <= Self.longestPiecemeal,
      newest.firstOffset(of: percentSign) != nil || newest.firstOffset(of: closingBracket) != nil
    else { return }
    line.withUnsafeBytes {
      guard let found = progress(in: $0, isRedraw: isRedrawn, isWhole: isReturned) else { return }
      isReported = true
      publish(found, report)
    }
  }

  private mutating func endLine(
    with text: UnsafeRawBufferPointer, isRedraw: Bool, _ report: (ParsedProgress) -> Void
  ) {
    let end = Array((line.suffix(Self.glance) + text.suffix(Self.glance)).suffix(Self.glance))
    defer {
      followsBinary = !end.withUnsafeBytes(\.looksLikeText)
      line.removeAll(keepingCapacity: true)
      isRedrawn = isRedraw
      isReported = false
    }
    guard !isReported else { return }
    if line.isEmpty {
      let text = text.slice(0, min(text.count, Self.longestLine))
      if let found = progressOfWhole(text, isRedraw: isRedraw) { publish(found, report) }
    } else {
      keep(text)
      let whole = line
      whole.withUnsafeBytes {
        if let found = progressOfWhole($0, isRedraw: isRedraw) { publish(found, report) }
      }
    }
  }

  private mutating func progressOfWhole(_ text: UnsafeRawBufferPointer, isRedraw: Bool) -> ParsedProgress? {
    let isRedraw = isRedraw || isRedrawn
    if let found = progress(in: text, isRedraw: isRedraw, isWhole: true) { return found }
    guard forms != .steps, !isRedraw, text.firstOffset(of: percentSign) != nil else { return nil }
    return text.withoutEscapes { text in
      guard let percent = text.firstPercent(isWhole: true) else { return nil }
      return series.isRising(text, percent) ? .percent(percent) : nil
    }
  }

  /// The progress that a line shows by itself. What is found in its start is also found in the whole
  /// line, unless that goes on with binary data.
  private func progress(
    in text: UnsafeRawBufferPointer, isRedraw: Bool, isWhole: Bool
  ) -> ParsedProgress? {
    guard text.firstOffset(of: percentSign) != nil || text.firstOffset(of: openingBracket) != nil else {
      return nil
    }
    return text.withoutEscapes { text in
      if let found = text.leadingBracket() {
        switch found {
        case .steps: if forms != .percent { return found }
        case .percent: if forms != .steps { return found }
        }
      }
      guard isRedraw, forms != .steps, !followsBinary, text.looksLikeText else { return nil }
      return text.firstPercent(isWhole: isWhole).map(ParsedProgress.percent)
    }
  }

  private mutating func publish(_ found: ParsedProgress, _ report: (ParsedProgress) -> Void) {
    if forms == .auto, case .steps = found { forms = .steps }
    guard found != last else { return }
    last = found
    report(found)
  }
}
