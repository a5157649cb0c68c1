/// A place in the text of a diagram.
///
/// By Unicode scalars and not by characters: a quoted value may hold anything, also what would melt into its quotes.
struct MarbleCursor {
  let text: String
  let scalars: [Unicode.Scalar]
  private(set) var index = 0

  init(_ text: String) {
    self.text = text
    scalars = Array(text.unicodeScalars)
  }

  /// The place of the scalar that was taken last.
  var place: Int { index - 1 }

  mutating func next() -> Unicode.Scalar? {
    guard index < scalars.count else { return nil }
    defer { index += 1 }
    return scalars[index]
  }

  /// Takes everything up to `end`, and `end` too; the spaces are left out.
  mutating func content(to end: Unicode.Scalar) -> [(place: Int, scalar: Unicode.Scalar)]? {
    guard let close = scalars[index...].firstIndex(of: end) else { return nil }
    defer { index = close + 1 }
    return (index..<close).map { ($0, scalars[$0]) }.filter { $0.scalar != " " }
  }

  func error(_ problem: String, at place: Int? = nil, mend: String) -> MarbleError {
    MarbleError(text: text, place: place ?? self.place, problem: problem, mend: mend)
  }
}
