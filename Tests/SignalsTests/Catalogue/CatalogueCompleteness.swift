import Foundation
import Testing

/// That no operator is forgotten, neither here nor in the documentation.
@Suite struct CatalogueCompleteness {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The public operators of the module, as its sources declare them.
  private static func declared() throws -> Set<String> {
    let folder = root.appending(path: "Sources/Signals")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var names: Set<String> = []
    for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
      names.formUnion(DeclaredOperators(try String(contentsOf: file, encoding: .utf8)).names)
    }
    return names
  }

  @Test func `every public operator is in the catalogue`() throws {
    let declared = try Self.declared()
    #expect(declared.count > 50)
    for name in declared.subtracting(Catalogue.declarations).sorted() {
      Issue.record(
        "\(name) is not in the catalogue: add an entry of that name to the list of its folder in Tests/SignalsTests/Catalogue/Catalogue+….swift, with its row of the table in Progress.md, and name it in one row there"
      )
    }
    for name in Catalogue.declarations.subtracting(declared).sorted() {
      Issue.record("\(name) is in the catalogue, but no source declares it: remove or rename its entries")
    }
  }

  @Test func `the page of the type lists every public operator under a topic`() throws {
    let page = try Article("Signal").text
    for name in try Self.declared().sorted() {
      let symbol = name.hasPrefix("Signal.") ? String(name.dropFirst(7)) : name
      // Those of one name are told apart by a suffix.
      if !page.contains("\n- ``\(symbol)``") && !page.contains("\n- ``\(symbol)-") {
        Issue.record("\(name) is in no topic of Signal.md: add ``\(symbol)`` there")
      }
    }
  }

  @Test(arguments: Catalogue.elsewhere.sorted { $0.key < $1.key }.map { [$0.key, $0.value] })
  func `what the catalogue leaves to another suite is tested there`(operator: [String]) throws {
    let file = Self.root.appending(path: "Tests/SignalsTests/\(`operator`[1])")
    let call = "." + (Self.spellings(`operator`[0]).last ?? "") + "("
    #expect(try String(contentsOf: file, encoding: .utf8).contains(call))
  }

  @Test func `the table of the article about progress names every operator in one row`() throws {
    let rows = try Self.table()
    #expect(rows.count > 5)
    for name in try Self.declared().sorted() {
      let options = Self.options[name] ?? [""]
      for option in options {
        let spellings = option.isEmpty ? Self.spellings(name) : [Self.spellings(name).last! + "(\(option))"]
        let count = rows.count { !$0.isDisjoint(with: spellings) }
        if count != 1 {
          Issue.record(
            "\(name) \(option) is in \(count) rows of the table in Progress.md: name it in one, as one of \(spellings)"
          )
        }
      }
    }
  }

  @Test func `the table of the article about progress names nothing else`() throws {
    let known = Set(
      try Self.declared().flatMap { name in
        Self.spellings(name) + (Self.options[name] ?? []).map { Self.spellings(name).last! + "(\($0))" }
      })
    let named = try Self.table().reduce(into: Set()) { $0.formUnion($1) }
    for name in named.subtracting(known).subtracting(["Subject(replay:)"]).sorted() {
      Issue.record("Progress.md names \(name), which no source declares")
    }
  }

  /// Operators whose options do different things with progress.
  private static let options = [
    "flatMap(_:expected:_:)": [".merge", ".concat", ".latest", ".exhaust"],
    "flatten(_:expected:)": [".merge", ".concat", ".latest", ".exhaust"],
  ]

  /// How an article may write an operator: with all labels, or without the last ones, or its bare name. The longest
  /// comes first.
  private static func spellings(_ declaration: String) -> [String] {
    let name = declaration.hasPrefix("Signal.") ? String(declaration.dropFirst(7)) : declaration
    guard let open = name.firstIndex(of: "(") else { return [name] }
    let bare = String(name[..<open])
    let labels = name[open...].dropFirst().dropLast().split(separator: ":").map { $0 + ":" }
    return (1...max(1, labels.count)).reversed().map { "\(bare)(\(labels.prefix($0).joined()))" } + [bare]
  }

  /// The names in the first column of each row.
  private static func table() throws -> [Set<String>] {
    let lines = try Article("Progress").text.split(separator: "\n").filter { $0.hasPrefix("| `") }
    return lines.compactMap { $0.split(separator: "|").first }.map { column in
      let parts = column.split(separator: "`", omittingEmptySubsequences: false)
      return Set(parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) })
    }
  }
}
