import Foundation

/// Standard output: results, whole lines at a time.
enum Output {
  /// Whether a person looks at it.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes text; `false` once nobody reads any more.
  @discardableResult
  static func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  /// Writes bytes; `false` once nobody reads any more.
  @discardableResult
  static func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) }
      if count < 0, errno != EINTR { return false }
    }
    return true
  }

  /// What came over the network, fit for a terminal: without control characters.
  static func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.lazy.filter { $0.properties.generalCategory != .control }))
  }
}
