/// What is wrong with a diagram: which character, where, and how to mend it.
///
/// ```
/// --a-(2x)
///      ^ "2x" is no progress, at character 6. Write a percentage …
/// ```
public struct MarbleError: Error, Equatable, Sendable {
  /// The text of the diagram.
  public let text: String
  /// Where the fault is: the Unicode scalars before it in `text`.
  /// What is not closed has its fault where it begins.
  public let place: Int
  /// What is wrong there.
  public let problem: String
  /// What to write instead.
  public let mend: String
}

extension MarbleError: CustomStringConvertible {
  /// The diagram, and under it the fault at its place.
  public var description: String {
    let margin = String(repeating: " ", count: place)
    return
      "\(Self.onOneLine(text))\n\(margin)^ \(Self.onOneLine(problem)), at character \(place + 1). \(mend)"
  }

  /// With pictures of the control characters, each of which takes the room of one.
  private static func onOneLine(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { line, scalar in
      let picture = scalar.value < 0x20 ? Unicode.Scalar(0x2400 + scalar.value) : nil
      line.unicodeScalars.append(picture ?? scalar)
    }
  }
}

/// The error with which a diagram's `#` fails, when the test names no other.
public struct MarbleFailure: Error, Equatable, Sendable {
  /// Makes the error.
  public init() {}
}
