#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Where the program's words go.
enum Console {
  /// Prints a line at once, also into a pipe: rows come a second apart.
  static func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  /// Prints a line that is not a result.
  static func complain(_ line: String) {
    let line = "bench: \(line)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
  }

  /// Says why the program can't go on, and ends it.
  static func fail(_ line: String, status: Int32) -> Never {
    complain(line)
    exit(status)
  }
}

extension Double {
  /// The number with so many digits after the point.
  func text(decimals: Int) -> String {
    var scale = 1
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int((self * Double(scale)).rounded())
    guard decimals > 0 else { return "\(scaled)" }
    let fraction = "\(abs(scaled) % scale)"
    let sign = scaled < 0 ? "-" : ""
    return
      "\(sign)\(abs(scaled) / scale).\(String(repeating: "0", count: decimals - fraction.count))\(fraction)"
  }
}

extension String {
  func filled(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
  func pushed(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
