import Foundation

/// Standard output: results, whole lines at a time.
enum Output {
  /// Whether a person looks at it.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// How wide that person's terminal is; 80 when it does not say.
  static var columns: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Why results could not be written, such as a full disk.
  struct Failure: Error, CustomStringConvertible {
    let reason: String
    var description: String { "can't write to standard output: \(reason)" }
  }

  /// Writes text; `false` once nobody reads any more.
  static func write(_ text: String) throws(Failure) -> Bool { try write(Array(text.utf8)) }

  /// Writes bytes; `false` once nobody reads any more.
  static func write(_ bytes: [UInt8]) throws(Failure) -> Bool {
    let failure = writeAll(bytes, to: STDOUT_FILENO)
    guard failure == 0 || failure == EPIPE else { throw Failure(reason: String(cString: strerror(failure))) }
    return failure == 0
  }

  /// What came over the network, fit for a terminal: without control characters.
  static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(text.unicodeScalars.lazy.filter { $0.properties.generalCategory != .control }))
  }
}

/// Writes every byte, whether or not somebody made the descriptor non-blocking; 0, or the errno that ended it.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count > 0 {
      rest = rest.dropFirst(count)
    } else if errno == EAGAIN {
      var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&writable, 1, -1)
    } else if errno != EINTR {
      return errno
    }
  }
  return 0
}
