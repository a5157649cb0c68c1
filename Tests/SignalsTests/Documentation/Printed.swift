import Foundation
import Signals

/// What an example prints: its `print` is this one's.
final class Printed: Sendable {
  private let lines = Lock<[String]>([])
  func print(_ item: Any) { lines.withLock { $0.append("\(item)") } }
  var text: String { lines.withLock { $0 }.joined(separator: "\n") }
}

extension Article {
  /// The block without a language that follows the word "prints".
  func printedBlock() -> String? {
    text.components(separatedBy: "prints\n\n```\n").dropFirst().first?.components(separatedBy: "\n```").first
  }
}
