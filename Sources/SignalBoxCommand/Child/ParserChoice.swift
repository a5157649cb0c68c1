/// The argument of `--parser`.
enum ParserChoice: Equatable, Sendable {
  /// The output is not looked at, and goes from the child straight to where ours goes.
  case none
  /// Progress of these forms is looked for.
  case forms(ProgressParser.Forms)

  /// The choice of this name: `auto`, `steps`, `percent` or `none`.
  init?(_ name: String) {
    if name == "none" {
      self = .none
    } else if let forms = ProgressParser.Forms(rawValue: name) {
      self = .forms(forms)
    } else {
      return nil
    }
  }
}
