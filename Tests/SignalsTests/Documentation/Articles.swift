import Foundation
import Testing

/// The articles of the documentation, read from the sources, for tests that keep them true.
struct Article {
  let name: String
  let text: String

  /// Reads `Sources/Signals/Signals.docc/NAME.md`.
  init(_ name: String) throws {
    try self.init(path: "Sources/Signals/Signals.docc/\(name).md")
  }

  /// Reads a file of the repository.
  init(path: String) throws {
    name = path
    text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
  }

  /// The part under the heading, down to the next one.
  init(path: String, heading: String) throws {
    let whole = try Article(path: path)
    name = heading
    text =
      whole.text.components(separatedBy: "\n### \(heading)\n").dropFirst().first?
      .components(separatedBy: "\n### ").first ?? ""
  }

  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// What is inside ` ```swift `, without the fences.
  var swiftBlocks: [String] {
    text.components(separatedBy: "\n```swift\n").dropFirst().map {
      $0.components(separatedBy: "\n```").first ?? ""
    }
  }

  /// What is between `<!-- name -->` and `<!-- end of name -->`, if both are there.
  func section(_ name: String) -> String? {
    let rest = text.components(separatedBy: "<!-- \(name) -->\n").dropFirst().first
    let parts = rest?.components(separatedBy: "<!-- end of \(name) -->")
    return parts.flatMap { $0.count > 1 ? $0.first : nil }
  }

  /// The blocks that are not, as they stand but for their indentation, in the file beside this one.
  func blocksMissing(in file: String) throws -> [String] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let code = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
    return swiftBlocks.filter { block in
      !stride(from: 0, through: 12, by: 2).contains { indentation in
        code.contains("\n" + Self.indent(block, by: indentation) + "\n")
      }
    }
  }

  private static func indent(_ block: String, by count: Int) -> String {
    block.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : String(repeating: " ", count: count) + $0 }
      .joined(separator: "\n")
  }
}
