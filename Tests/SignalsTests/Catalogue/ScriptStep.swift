/// What happens to a pipeline in a generated script.
enum ScriptStep: String, CustomStringConvertible {
  case next, progress, fail, complete
  /// A second passes.
  case pass

  var description: String { rawValue }

  /// All scripts of `alphabet` with at most `length` steps.
  static func scripts(of alphabet: [ScriptStep], upTo length: Int) -> [[ScriptStep]] {
    sequences(of: alphabet, upTo: length)
  }

  /// All sequences of `alphabet` with at most `length` elements.
  static func sequences<Step>(of alphabet: [Step], upTo length: Int) -> [[Step]] {
    var scripts: [[Step]] = [[]]
    var longest = scripts
    for _ in 0..<length {
      longest = longest.flatMap { script in alphabet.map { script + [$0] } }
      scripts += longest
    }
    return scripts
  }
}
