import Foundation

/// Writes a line about the command itself to standard error, whole even when others write there too.
func diagnose(_ message: String) {
  var line = Array("signalbox: \(message)\n".utf8)[...]
  while !line.isEmpty {
    let written = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    if written > 0 { line = line.dropFirst(written) }
    if written < 0 && errno != EINTR { return }
  }
}
