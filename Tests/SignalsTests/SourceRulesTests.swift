import Foundation
import Testing

/// What the sources of the module promise to whoever links it.
@Suite struct SourceRulesTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/Signals").resolvingSymlinksInPath()

  private func sources() throws -> [(path: String, lines: [String])] {
    let files = FileManager.default.enumerator(at: Self.root, includingPropertiesForKeys: nil)
    let sources = files?.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" } ?? []
    try #require(sources.count > 50)
    return try sources.map { url in
      let text = try String(contentsOf: url, encoding: .utf8)
      return (
        String(url.path().dropFirst(Self.root.path().count)), text.components(separatedBy: .newlines)
      )
    }
  }

  @Test func `it imports only Synchronization, and Dispatch in its schedulers`() throws {
    for (path, lines) in try sources() {
      for line in lines {
        let words = line.split(separator: " ").filter { !["public", "internal"].contains($0) }
        guard words.first == "import", words.count == 2 else { continue }
        let isAllowed =
          words[1] == "Synchronization" || words[1] == "Dispatch" && path.contains("Scheduling/")
        #expect(isAllowed, "\(path): \(line)")
      }
    }
  }

  @Test func `no file is long`() throws {
    for (path, lines) in try sources() { #expect(lines.count <= 400, "\(path)") }
  }
}
