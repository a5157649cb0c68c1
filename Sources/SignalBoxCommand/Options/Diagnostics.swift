import Foundation

/// Writes one line about the command itself to standard error, whole even when others write there too.
func diagnose(_ message: String) {
  // A name that the message quotes may hold line ends and worse.
  let line = Output.printable(message.split(whereSeparator: \.isNewline).joined(separator: " "))
  _ = writeAll(Array("signalbox: \(line)\n".utf8), to: STDERR_FILENO)
}
